#version 450 core
// Marks bricks that can be seen: 0 if a ray must sample them, kUnseen if it may skip them; and in
// the two highest bits how smooth they look.

#include "value_axis.glsl"

layout(local_size_x = 4, local_size_y = 4, local_size_z = 4) in;

layout(binding = 0) uniform sampler3D ranges;
layout(binding = 0, r8ui) writeonly uniform uimage3D occupancy;
layout(std430, binding = 0) readonly buffer Sums { vec2 sums_before[]; };

// A brick is seen if it has, depending on the mode: a visible colour, a value above the first
// threshold, or values on both sides of one of them.
const int kComposite = 0, kMaximum = 1, kIsosurface = 2;
const uint kUnseen = 63u;
uniform int mode;
uniform vec4 thresholds;
uniform float brick_layers;

// Changes in a brick, of its light or of its share of the axis, up to which samples twice and four
// times as far apart change 8-bit colours by about one.
const vec2 kLightChange = vec2(0.64, 0.16), kShareChange = vec2(0.4, 0.1);

/// Returns the texels that the values of a range reach, the first and the last.
ivec2 texels_of(vec2 range) {
  int texels = sums_before.length() - 1;
  vec2 texel = vec2(axis_coordinate(range.x), axis_coordinate(range.y)) * texels - 0.5;
  return ivec2(clamp(vec2(floor(texel.x), ceil(texel.y)), 0.0, float(texels - 1)));
}

uint smoothness(float change, vec2 limits) {
  return change <= limits.y ? 2u : change <= limits.x ? 1u : 0u;
}

bool holds_surface(vec2 range) {
  bool holds = false;
  for (int i = 0; i < 4; ++i) holds = holds || (range.x < thresholds[i] && range.y >= thresholds[i]);
  return holds;
}

void main() {
  ivec3 brick = ivec3(gl_GlobalInvocationID);
  if (any(greaterThanEqual(brick, imageSize(occupancy)))) return;
  vec2 range = texelFetch(ranges, brick, 0).rg;
  ivec2 texels = texels_of(range);
  vec2 sums = sums_before[texels.y + 1] - sums_before[texels.x];
  bool occupied = holds_surface(range);
  uint smooth_as = 0u;
  if (mode == kComposite) {
    occupied = sums.x > 0;
    smooth_as = smoothness(sums.y * brick_layers, kLightChange);
  } else if (mode == kMaximum) {
    occupied = range.y > thresholds.x;
    // At the lower end of the axis the picture becomes transparent within a fiftieth of it.
    if (texels.x > sums_before.length() / 40)
      smooth_as = smoothness(float(texels.y - texels.x) / sums_before.length(), kShareChange);
  }
  imageStore(occupancy, brick, uvec4((occupied ? 0u : kUnseen) | smooth_as << 6));
}

#version 450 core
// Marks bricks that can be seen: 0 if a ray must sample them, 255 if it may skip them.

#include "value_axis.glsl"

layout(local_size_x = 4, local_size_y = 4, local_size_z = 4) in;

layout(binding = 0) uniform sampler3D ranges;
layout(binding = 0, r8ui) writeonly uniform uimage3D occupancy;
layout(std430, binding = 0) readonly buffer Opaque { uint opaque_before[]; };

// A brick is seen if it has, depending on the mode: a visible colour, a value above the first
// threshold, or values on both sides of one of them.
const int kComposite = 0, kMaximum = 1, kIsosurface = 2;
uniform int mode;
uniform vec4 thresholds;

bool colors_visible(vec2 range) {
  int texels = opaque_before.length() - 1;
  vec2 texel = vec2(axis_coordinate(range.x), axis_coordinate(range.y)) * texels - 0.5;
  int first = int(clamp(floor(texel.x), 0.0, float(texels - 1)));
  int last = int(clamp(ceil(texel.y), 0.0, float(texels - 1)));
  return opaque_before[last + 1] > opaque_before[first];
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
  bool occupied = mode == kComposite ? colors_visible(range)
                : mode == kMaximum   ? range.y > thresholds.x
                                     : holds_surface(range);
  imageStore(occupancy, brick, uvec4(occupied ? 0u : 255u));
}

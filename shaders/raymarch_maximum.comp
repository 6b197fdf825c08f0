#version 450 core
// Draws the colour of the largest value along each ray.

#define SPACED
#include "ray_march.glsl"
#include "value_axis.glsl"

layout(binding = 3) uniform sampler1D colors;
layout(binding = 4) uniform sampler3D brick_ranges;

uniform float lowest, highest;  // values at the ends of the axis

/// Like next_seen, but also skips bricks that cannot raise the maximum.
int next_above(int k, float greatest) {
  while (k < samples) {
    vec3 place = brick_first + float(k) * brick_stride;
    ivec3 brick = brick_at(place);
    uint found = texelFetch(brick_distances, brick, 0).r, distance = found & kDistance;
    take_spacing(found);
    if (distance == 0u && texelFetch(brick_ranges, brick, 0).g > greatest) break;
    k += samples_past(place, brick, max(float(distance), 1.0));
  }
  return k;
}

/// Returns the largest of a few samples of the ray. Bricks whose values are lower are then skipped.
float first_guess() {
  // Spaced samples may miss the ends of a ray.
  float greatest = max(value_at(first), value_at(first + float(samples - 1) * stride));
  for (int k = next_seen(0); k < samples; k = next_seen(k + 2 * kRun * spacing))
    greatest = max(greatest, value_at(first + float(min(k + kRun * spacing, samples - 1)) * stride));
  return max(greatest, lowest);
}

void main() {
  ivec2 pixel = ivec2(gl_GlobalInvocationID.xy);
  if (any(greaterThanEqual(pixel, imageSize(picture)))) return;
  float greatest = lowest;
  float offset = jitter(pixel);
  if (aim(pixel, offset)) {
    greatest = first_guess();
    for (int k = next_above(0, greatest); k < samples && greatest < highest;
         k = next_above(k, greatest)) {
      vec3 spaced = float(spacing) * stride;
      vec3 place = first + float(k) * stride + offset * (spaced - stride);
      for (int i = 0; i < kRun; ++i, place += spaced)
        greatest = max(greatest, k + i * spacing < samples ? value_at(place) : lowest);
      k += kRun * spacing;
    }
  }
  float coordinate = axis_coordinate(greatest);
  vec4 texel = textureLod(colors, coordinate, 0);
  // Values not above the axis show the background, with a smooth transition.
  float opacity = clamp(coordinate * 50 - 0.05, 0.0, 1.0);
  if (greatest <= lowest) opacity = 0;
  imageStore(picture, pixel, vec4(opacity * texel.rgb, opacity));
}

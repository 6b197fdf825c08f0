#version 450 core
// Finds the pixels where surfaces reach furthest in directions on the picture.

#include "ray_march.glsl"

// Of each surface, and of the lowest in the same directions: how far, and where across.
layout(std430, binding = 0) buffer Reached { uint furthest[8]; };

uniform vec4 levels;  // of surfaces
uniform float lowest;
uniform vec2 ways[4];

const int kApart = 4;  // pixels from ray to ray, as in raymarcher.cpp

void main() {
  ivec2 pixel = kApart * ivec2(gl_GlobalInvocationID.xy), size = imageSize(picture);
  if (any(greaterThanEqual(pixel, size)) || !aim(pixel, 0.0)) return;
  float greatest = 0;
  for (int k = next_seen(0); k <= samples; k = next_seen(k + 1))
    greatest = max(greatest, value_at(first + float(k) * stride));
  vec2 place = (2 * vec2(pixel) + 1 - vec2(size)) / length(vec2(size));
  for (int i = 0; i < 4; ++i) {
    vec2 reached = vec2(dot(place, ways[i]), dot(place, vec2(-ways[i].y, ways[i].x)));
    uint key = packUnorm2x16(0.5 * reached.yx + 0.5);
    if (greatest >= levels[i]) atomicMax(furthest[i], key);
    if (greatest >= lowest) atomicMax(furthest[i + 4], key);
  }
}

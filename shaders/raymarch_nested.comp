#version 450 core
// Draws the nested, translucent surfaces of several density values, with lighting.

#include "ray_march.glsl"
#include "surface.glsl"

const float kEnough = 0.005;  // transmitted share below which no difference is visible
#include "nested_surfaces.glsl"

void main() {
  ivec2 pixel = ivec2(gl_GlobalInvocationID.xy);
  if (any(greaterThanEqual(pixel, imageSize(picture)))) return;
  // Both ends of the ray are samples, so that no part of it is skipped.
  imageStore(picture, pixel, aim(pixel, 0.0) ? marched_surfaces() : vec4(0));
}

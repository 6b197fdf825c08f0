#version 450 core
// Draws the surface of one density value, with lighting.

#include "ray_march.glsl"
#include "surface.glsl"

uniform float isovalue;
uniform vec3 surface_color;

void main() {
  ivec2 pixel = ivec2(gl_GlobalInvocationID.xy);
  if (any(greaterThanEqual(pixel, imageSize(picture)))) return;
  vec4 color = vec4(0);
  // Both ends of the ray are samples, so that no part of it is skipped.
  if (aim(pixel, 0.0)) {
    // The value at sample k is known, later ones are not.
    int k = 0;
    bool above = value_at(first) >= isovalue, found = false;
    vec3 surface;
    while (k < samples && !found) {
      int seen = next_seen(k);
      if (seen > k) {
        // The surface may be just before the first sample in a brick.
        k = seen - 1;
        above = value_at(first + float(k) * stride) >= isovalue;
      }
      vec3 place = first + float(k) * stride;
      for (int i = 1; i <= kRun && k + i <= samples && !found; ++i) {
        place += stride;
        bool now = value_at(place) >= isovalue;
        found = now != above;
        if (found) surface = refined(place, isovalue, now);
        above = now;
      }
      k += kRun;
    }
    if (found) color = vec4(lit(surface_color, normal_at(surface), direction), 1);
  }
  imageStore(picture, pixel, color);
}

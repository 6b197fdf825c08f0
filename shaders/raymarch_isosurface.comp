#version 450 core
// Draws the surface of one density value, with lighting. Where a face of the shown part cuts the
// body inside the surface, the cut is filled.

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
    float value = value_at(first);
    bool filled = value > isovalue;
    vec3 cut = filled ? cut_normal(false) : vec3(0), surface;
    bool found = cut != vec3(0);
    while (k < samples && !found) {
      int seen = next_seen(k);
      if (seen > k) {
        // The surface may be just before the first sample in a brick.
        k = seen - 1;
        value = value_at(first + float(k) * stride);
      }
      vec3 place = first + float(k) * stride;
      for (int i = 1; i <= kRun && k + i <= samples && !found; ++i) {
        place += stride;
        float now = value_at(place);
        found = (now >= isovalue) != (value >= isovalue);
        if (found) surface = refined(place, isovalue, value, now);
        value = now;
      }
      k += kRun;
    }
    // From an eye in the body, the cut is seen from within.
    if (filled && !found) cut = cut_normal(true);
    bool fills = cut != vec3(0);
    if (found || fills)
      color = vec4(lit(surface_color, fills ? cut : normal_at(surface), direction), 1);
  }
  imageStore(picture, pixel, color);
}

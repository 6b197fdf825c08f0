#version 450 core
// Draws the nested, translucent surfaces of several density values, with lighting. Where a face of
// the shown part cuts the body inside a surface, the cut is filled.

#include "ray_march.glsl"
#include "surface.glsl"

const float kEnough = 0.005;  // transmitted share below which no difference is visible
#include "nested_surfaces.glsl"

/// Fills the cut at the ray's first sample or at its end, with the colour of the innermost of the
/// surfaces around it. It is opaque, as the section of a body is.
void add_cut(bool last, int around, inout vec3 color, inout float behind) {
  vec3 normal = around > 0 ? cut_normal(last) : vec3(0);
  if (normal == vec3(0)) return;
  color += behind * lit(surface_colors[around - 1].rgb, normal, direction);
  behind = 0;
}

void main() {
  ivec2 pixel = ivec2(gl_GlobalInvocationID.xy);
  if (any(greaterThanEqual(pixel, imageSize(picture)))) return;
  vec3 color = vec3(0);
  float behind = 1;  // share of the background's light that is still transmitted
  // Both ends of the ray are samples, so that no part of it is skipped.
  if (aim(pixel, 0.0)) {
    int k = 0;
    float value = value_at(first);  // of sample k
    bool entered = surfaces_around(value) > 0;
    add_cut(false, surfaces_around(value), color, behind);
    while (k < samples && behind > kEnough) {
      int seen = next_seen(k);
      if (seen > k) {
        // A surface may be just before the first sample in a brick.
        k = seen - 1;
        value = value_at(first + float(k) * stride);
      }
      vec3 place = first + float(k) * stride;
      for (int i = 1; i <= kRun && k + i <= samples; ++i) {
        place += stride;
        float next = value_at(place);
        add_crossed(place, value, next, color, behind);
        value = next;
      }
      k += kRun;
    }
    entered = entered || behind < 1;
    if (entered && behind > kEnough)
      add_cut(true, surfaces_around(value_at(first + float(samples) * stride)), color, behind);
  }
  imageStore(picture, pixel, vec4(color, 1 - behind));
}

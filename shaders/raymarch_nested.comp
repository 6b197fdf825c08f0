#version 450 core
// Draws the nested, translucent surfaces of several density values, with lighting. Where a face of
// the shown part cuts the body inside a surface, the cut is filled.

#include "ray_march.glsl"
#include "surface.glsl"

uniform vec4 levels;  // ascending; unused ones are larger than all values
// Colour and opacity of each surface, as seen at a right angle.
uniform vec4 surface_colors[4];

const float kEnough = 0.005;  // transmitted share below which no difference is visible
const float kLeastSlant = 0.2;

/// Returns how many of the surfaces enclose a place of this value.
int surfaces_around(float value) {
  bvec4 inside = greaterThanEqual(vec4(value), levels);
  return int(dot(vec4(inside), vec4(1)));
}

/// Composites a surface behind those before it. A thin layer is more opaque where it is seen at a
/// slant.
void add_surface(vec3 surface, vec4 shade, inout vec3 color, inout float behind) {
  vec3 normal = normal_at(surface);
  float slant = max(abs(dot(normal, direction)), kLeastSlant);
  float through = pow(1 - shade.a, 1 / slant);
  color += behind * (1 - through) * lit(shade.rgb, normal, direction);
  behind *= through;
}

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
    float value = value_at(first);        // of sample k
    int around = surfaces_around(value);  // those around it
    bool entered = around > 0;
    add_cut(false, around, color, behind);
    while (k < samples && behind > kEnough) {
      int seen = next_seen(k);
      if (seen > k) {
        // A surface may be just before the first sample in a brick.
        k = seen - 1;
        value = value_at(first + float(k) * stride);
        around = surfaces_around(value);
      }
      vec3 place = first + float(k) * stride;
      for (int i = 1; i <= kRun && k + i <= samples; ++i) {
        place += stride;
        float next = value_at(place);
        int now = surfaces_around(next);
        for (; around != now && behind > kEnough; around += now > around ? 1 : -1) {
          int level = now > around ? around : around - 1;
          add_surface(refined(place, levels[level], value, next), surface_colors[level], color, behind);
        }
        around = now;
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

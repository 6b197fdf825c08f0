#version 450 core
// Finds the place that a picture shows at a pixel: where the ray meets the surface of `level`, or
// else where its value is greatest. One lane follows one ray.

#include "ray_march.glsl"

layout(std430, binding = 0) writeonly buffer Found { vec4 found; };  // w: 1 if there is a place

uniform ivec2 probed;
uniform int at_surface;
uniform float level;

void main() {
  if (gl_LocalInvocationIndex != 0u) return;
  found = vec4(0);
  if (!aim(probed, 0.0)) return;
  float before = value_at(first), greatest = 0;
  if (at_surface != 0 && before > level && cut_normal(false) != vec3(0)) {
    found = vec4(first, 1);
    return;
  }
  for (int k = 0; k <= samples; ++k) {
    vec3 place = first + float(k) * stride;
    float value = value_at(place);
    if (at_surface != 0) {
      if ((value >= level) != (before >= level)) {
        found = vec4(place - stride * (value - level) / (value - before), 1);
        return;
      }
    } else if (value > greatest) {
      greatest = value;
      found = vec4(place, 1);
    }
    before = value;
  }
}

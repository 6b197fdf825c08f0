// Finds and lights surfaces of one density value along a ray.
#include "shading.glsl"

const int kRefinements = 3;

/// Returns where the step before `place` meets the surface of `level`. `before` and `after` are the
/// values at its ends, on different sides of the surface. Halves the step once, and
/// then follows the method of false position, which alone converges slowly where values curve.
vec3 refined(vec3 place, float level, float before, float after) {
  vec2 from = vec2(-1, before), to = vec2(0, after);  // steps from `place`, and the values there
  bool rises = after >= level;
  float at = -0.5;
  for (int i = 0; i < kRefinements; ++i) {
    float value = value_at(place + at * stride);
    if ((value >= level) == rises)
      to = vec2(at, value);
    else
      from = vec2(at, value);
    at = mix(from.x, to.x, (level - from.y) / (to.y - from.y));
  }
  return place + at * stride;
}

vec3 normal_at(vec3 surface) {
  vec3 gradient = central_gradient(surface);
  return gradient / max(length(gradient), 1e-30);
}

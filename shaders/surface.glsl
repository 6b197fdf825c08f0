// Finds and lights surfaces of one density value along a ray.
#include "shading.glsl"

const int kHalvings = 6;

/// Refines the surface of `value` by bisection within the step before `place`, whose ends are on
/// different sides; `above` tells that of its end.
vec3 refined(vec3 place, float value, bool above) {
  vec3 half_step = 0.5 * stride;
  place -= half_step;
  for (int i = 0; i < kHalvings; ++i) {
    half_step *= 0.5;
    place += (value_at(place) >= value) == above ? -half_step : half_step;
  }
  return place;
}

vec3 normal_at(vec3 surface) {
  vec3 gradient = central_gradient(surface);
  return gradient / max(length(gradient), 1e-30);
}

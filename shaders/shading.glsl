// Lighting by the gradient of the density, in scene units, so that unequal cells do not distort it.
#include "lighting.glsl"

const float kCloudAmbient = 0.2, kCloudDiffuse = 1.1;

/// Central differences of trilinear values one cell away.
vec3 central_gradient(vec3 place) {
  vec3 cell = 1.0 / dims;
  vec3 ahead = vec3(value_at(place + vec3(cell.x, 0, 0)), value_at(place + vec3(0, cell.y, 0)),
                    value_at(place + vec3(0, 0, cell.z)));
  vec3 behind = vec3(value_at(place - vec3(cell.x, 0, 0)), value_at(place - vec3(0, cell.y, 0)),
                     value_at(place - vec3(0, 0, cell.z)));
  return (ahead - behind) * dims * (0.25 / box_half);
}

/// Uses four corners of a cube instead of six faces; cheaper for many samples.
vec3 tetrahedral_gradient(vec3 place) {
  vec3 cell = 1.0 / dims;
  float a = value_at(place + cell * vec3(1, -1, -1)), b = value_at(place + cell * vec3(-1, 1, -1));
  float c = value_at(place + cell * vec3(-1, -1, 1)), d = value_at(place + cell);
  return (vec3(a - b - c + d, b - a - c + d, c - a - b + d)) * dims * (0.125 / box_half);
}

/// Returns the light within a cloud: about 1 on average, so that shading does not darken it, and the
/// stronger the steeper the density. Where it is flat, its gradient has no meaningful direction.
vec2 cloud_light(vec3 place, float value, vec3 direction) {
  vec3 gradient = tetrahedral_gradient(place);
  float slope = length(gradient);
  vec2 shine = light_of(gradient / max(slope, 1e-30), direction);
  return mix(vec2(1, 0), vec2(kCloudAmbient + kCloudDiffuse * shine.x, shine.y), smoothstep(0.1, 2.0, slope / value));
}

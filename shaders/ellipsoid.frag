#version 450 core
// Draws the surface where a pixel's ray enters an ellipsoid, lit, at its own depth.
#include "lighting.glsl"

flat in vec3 color;
flat in mat3 to_ball;
flat in vec3 origin;
noperspective in vec3 through;
out vec4 result;

uniform vec2 near_far;

void main() {
  vec3 along = through * to_ball;
  float square = dot(along, along);
  vec3 aside = cross(along, cross(origin, along)) / square;  // where the ray is nearest the centre
  float away = length(aside), pixel = fwidth(away);
  float coverage = clamp((1 - away) / pixel + 0.5, 0, 1);
  if (coverage <= 0) discard;
  float half_chord = sqrt(max(1 - away * away, 0.0) / square);
  float depth = -dot(origin, along) / square - half_chord;  // along the view
  if (depth < near_far.x || depth > near_far.y) discard;
  vec3 normal = normalize(to_ball * (aside - half_chord * along));
  result = vec4(lit(color, normal, normalize(through)), coverage);
  float place = near_far.y * (depth - near_far.x) / (depth * (near_far.y - near_far.x));
  // Rays end at an ellipsoid, but not at its anti-aliased edge.
  gl_FragDepth = coverage < 0.5 ? 1.0 : place;
}

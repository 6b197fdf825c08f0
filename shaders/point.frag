#version 450 core
uniform vec4 rim;
uniform float rim_share;  // of the radius
uniform vec2 least_most;
in vec4 disc_color;
out vec4 result;

void main() {
  vec2 aside = 2 * gl_PointCoord - 1;
  float away = length(aside), pixel = fwidth(aside.x);
  float coverage = clamp((1 - away) / pixel, 0, 1);
  if (coverage <= 0) discard;
  result = mix(disc_color, rim, clamp((away - 1 + rim_share) / pixel + 0.5, 0, 1));
  result.a *= coverage;
  // Rays end at a sample, but not at its anti-aliased edge.
  gl_FragDepth = coverage < 0.4 ? 1.0 : gl_FragCoord.z;
}

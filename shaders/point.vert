#version 450 core
#include "clip.glsl"

layout(location = 0) in vec3 position;

uniform mat4 transform;
uniform float pixels_at_one;  // diameter of a point at distance 1
uniform vec2 least_most;      // in pixels

void main() {
  gl_Position = transform * vec4(position, 1);
  gl_PointSize = clamp(pixels_at_one / max(gl_Position.w, 1e-6), least_most.x, least_most.y) + 1;
  if (!is_kept(position)) gl_Position = vec4(0, 0, 2, 1);  // out of sight
}

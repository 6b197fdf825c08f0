#version 450 core
#include "clip.glsl"
#include "value_axis.glsl"

layout(location = 0) in vec3 position;
layout(location = 1) in vec3 own_color;

layout(binding = 0) uniform sampler3D volume;
layout(binding = 1) uniform sampler1D colors;

uniform mat4 transform;
uniform float pixels_at_one;  // diameter of a point at distance 1
uniform vec2 least_most;      // in pixels
uniform vec4 color;
uniform int coloring;   // 0: all alike; 1: by the density there; 2: each its own
uniform vec3 box_half;  // negative along flipped axes

out vec4 disc_color;

void main() {
  gl_Position = transform * vec4(position, 1);
  gl_PointSize = clamp(pixels_at_one / max(gl_Position.w, 1e-6), least_most.x, least_most.y) + 1;
  if (!is_kept(position)) gl_Position = vec4(0, 0, 2, 1);  // out of sight
  disc_color = color;
  if (coloring == 2) disc_color = vec4(own_color, 1);
  if (coloring != 1) return;
  float value = textureLod(volume, 0.5 * position / box_half + 0.5, 0).r;
  disc_color = vec4(textureLod(colors, axis_coordinate(value), 0).rgb, 1);
}

#version 450 core
#include "clip.glsl"
#include "value_axis.glsl"

layout(location = 0) in vec3 position;
layout(location = 1) in vec3 own_color;
layout(location = 2) in float own_size;

layout(binding = 0) uniform sampler3D volume;
layout(binding = 1) uniform sampler1D colors;

uniform mat4 transform;
uniform float pixels_at_one;  // diameter of a point at distance 1
uniform vec2 least_most;      // in pixels
uniform vec4 color;
// 0: all alike; 1: by the density there; 2: each its own
uniform int coloring, sizing;
uniform vec2 diameters;  // at the ends of what sizes tell, relative to those that are alike
uniform vec3 box_half;  // negative along flipped axes

out vec4 disc_color;

void main() {
  gl_Position = transform * vec4(position, 1);
  float coordinate = 0;
  if (coloring == 1 || sizing == 1)
    coordinate = axis_coordinate(textureLod(volume, 0.5 * position / box_half + 0.5, 0).r);
  float diameter = clamp(pixels_at_one / max(gl_Position.w, 1e-6), least_most.x, least_most.y);
  if (sizing != 0)
    diameter *= mix(diameters.x, diameters.y, sizing == 2 ? own_size : clamp(coordinate, 0, 1));
  gl_PointSize = diameter + 1;
  if (!is_kept(position)) gl_Position = vec4(0, 0, 2, 1);  // out of sight
  disc_color = color;
  if (coloring == 2) disc_color = vec4(own_color, 1);
  if (coloring == 1) disc_color = vec4(textureLod(colors, coordinate, 0).rgb, 1);
}

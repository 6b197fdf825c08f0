#version 450 core
// Turns a segment of six vertices into a strip that is `width` pixels wide on the screen.
#include "thick_segment.glsl"

layout(location = 0) in vec4 segment_from;  // w: width
layout(location = 1) in vec3 segment_to;
layout(location = 2) in vec4 segment_color;

uniform mat4 transform;
uniform vec2 viewport;
uniform float pixel_scale;

out vec4 color;
flat out mat2x4 strip;

void main() {
  float half_width = 0.5 * segment_from.w * pixel_scale;
  gl_Position = strip_corner(gl_VertexID, transform * vec4(segment_from.xyz, 1),
                             transform * vec4(segment_to, 1), half_width, viewport, strip);
  color = segment_color;
}

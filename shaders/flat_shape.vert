#version 450 core
layout(location = 0) in vec2 pixel;
layout(location = 1) in vec4 corner_color;

uniform mat4 transform;

out vec4 color;

void main() {
  gl_Position = transform * vec4(pixel, 0, 1);
  color = corner_color;
}

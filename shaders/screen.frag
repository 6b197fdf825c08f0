#version 450 core
in vec2 place;
out vec4 color;

layout(binding = 0) uniform sampler2D picture;

void main() { color = texture(picture, place); }

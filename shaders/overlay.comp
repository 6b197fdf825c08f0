#version 450 core
// Blends a picture of colours that are premultiplied by their opacity over another picture, which
// may have another size. On some cards compute shaders do this many times faster than fragments.

layout(local_size_x = 16, local_size_y = 16) in;

layout(binding = 0) uniform sampler2D over;
layout(binding = 0, rgba8) uniform image2D under;

void main() {
  ivec2 pixel = ivec2(gl_GlobalInvocationID.xy), size = imageSize(under);
  if (any(greaterThanEqual(pixel, size))) return;
  vec4 color = textureLod(over, (vec2(pixel) + 0.5) / vec2(size), 0);
  imageStore(under, pixel, color + (1 - color.a) * imageLoad(under, pixel));
}

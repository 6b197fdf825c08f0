#version 450 core
// Colours a section by the values of its cells.
#include "clip.glsl"
#include "value_axis.glsl"

layout(binding = 0) uniform sampler3D volume;
layout(binding = 1) uniform sampler1D colors;

uniform int interpolated;

in vec3 place;
in vec3 scene;
out vec4 result;

void main() {
  if (!is_kept(scene)) discard;
  ivec3 dims = textureSize(volume, 0);
  ivec3 cell = clamp(ivec3(floor(place * vec3(dims))), ivec3(0), dims - 1);
  float value = interpolated != 0 ? textureLod(volume, place, 0).r : texelFetch(volume, cell, 0).r;
  result = vec4(textureLod(colors, axis_coordinate(value), 0).rgb, 1);
}

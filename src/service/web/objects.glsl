// What lies in the volume: samples as discs, and slices through it. The first lines of the program
// tell which shader and which object is compiled.

#ifdef VERTEX
in vec3 position;
uniform mat4 transform;
uniform float diameter;  // of a sample, in pixels
out vec3 place;

void main() {
  gl_Position = transform * vec4(position, 1);
  gl_PointSize = diameter;
  place = position;
}

#else
uniform sampler2D colors;
uniform vec3 color;
uniform vec3 centre;  // of the volume
in vec3 place;
out vec4 picture;

#include "clip.glsl"
#include "value_axis.glsl"

void main() {
#ifdef SLICES
  float value = textureLod(volume, place * (0.5 / box_half) + 0.5, 0.0).r;
  picture = vec4(textureLod(colors, vec2(axis_coordinate(value), 0.5), 0.0).rgb, 1);
#else
  if (length(2.0 * gl_PointCoord - 1.0) > 1.0 || !is_kept(place - centre)) discard;
  picture = vec4(color, 1);
#endif
}
#endif

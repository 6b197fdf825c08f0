// What lies in the volume: samples as discs, and slices through it. The first lines of the program
// tell which shader and which object is compiled.

#ifdef VERTEX
in vec3 position;
uniform mat4 transform;
uniform float diameter;  // of a sample at distance 1, in pixels
uniform vec2 least_most, viewport;
out vec3 place;
flat out vec3 disc;  // middle and radius on the screen

void main() {
  gl_Position = transform * vec4(position, 1);
  float pixels = clamp(diameter / max(gl_Position.w, 1e-6), least_most.x, least_most.y) + 1.0;
  disc = vec3((0.5 * gl_Position.xy / gl_Position.w + 0.5) * viewport, 0.5 * pixels);
  gl_PointSize = pixels + 1.0;
  place = position;
}

#else
uniform sampler2D colors;
uniform vec3 color;
uniform vec3 centre;  // of the volume
in vec3 place;
flat in vec3 disc;
out vec4 picture;

#include "clip.glsl"
#include "value_axis.glsl"

void main() {
#ifdef SLICES
  float value = textureLod(volume, place * (0.5 / box_half) + 0.5, 0.0).r;
  picture = vec4(textureLod(colors, vec2(axis_coordinate(value), 0.5), 0.0).rgb, 1);
  gl_FragDepth = gl_FragCoord.z;
#else
  float coverage = clamp(disc.z - distance(gl_FragCoord.xy, disc.xy), 0.0, 1.0);
  if (coverage == 0.0 || !is_kept(place - centre)) discard;
  picture = vec4(color, coverage);
  // Rays end at a sample, but not at its anti-aliased edge.
  gl_FragDepth = coverage < 0.4 ? 1.0 : gl_FragCoord.z;
#endif
}
#endif

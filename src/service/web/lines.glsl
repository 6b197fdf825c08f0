// A line of the box, as skde-view draws it.

#include "thick_segment.glsl"

#ifdef VERTEX
uniform vec3 line_from, line_to;
uniform float line_width;  // in pixels
uniform mat4 transform;
uniform vec2 viewport;
flat out mat2x4 strip;

void main() {
  gl_Position = strip_corner(gl_VertexID, transform * vec4(line_from, 1), transform * vec4(line_to, 1),
                             0.5 * line_width, viewport, strip);
}

#else
uniform vec4 ink;
flat in mat2x4 strip;
out vec4 picture;

void main() {
  float coverage = strip_coverage(strip, gl_FragCoord.xy);
  picture = vec4(ink.rgb, ink.a * coverage);
  // Rays end at a line in the volume, but not at its anti-aliased edge.
  gl_FragDepth = coverage < 0.5 ? 1.0 : gl_FragCoord.z;
}
#endif

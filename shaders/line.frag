#version 450 core
#include "thick_segment.glsl"

in vec4 color;
flat in mat2x4 strip;
out vec4 result;

void main() {
  float coverage = strip_coverage(strip, gl_FragCoord.xy);
  result = vec4(color.rgb, color.a * coverage);
  // Rays end at a line, but not at its anti-aliased edge.
  gl_FragDepth = coverage < 0.5 ? 1.0 : gl_FragCoord.z;
}

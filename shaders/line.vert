#version 450 core
// A segment of six vertices becomes a strip that is `width` pixels wide on the screen.
layout(location = 0) in vec4 segment_from;  // w: width
layout(location = 1) in vec3 segment_to;
layout(location = 2) in vec4 segment_color;

uniform mat4 transform;
uniform vec2 viewport;
uniform float pixel_scale;

out vec4 color;
noperspective out float pixels_aside;
flat out float half_width;

const vec2 kCorners[6] =
    vec2[](vec2(0, -1), vec2(1, -1), vec2(1, 1), vec2(0, -1), vec2(1, 1), vec2(0, 1));

void main() {
  vec4 from = transform * vec4(segment_from.xyz, 1), to = transform * vec4(segment_to, 1);
  // Ends behind the eye come forward to the near plane.
  float from_near = from.z + from.w, to_near = to.z + to.w;
  vec4 whole_from = from;
  if (from_near < 0) from = mix(from, to, from_near / (from_near - to_near));
  if (to_near < 0) to = mix(to, whole_from, to_near / (to_near - from_near));

  vec2 along = (to.xy / to.w - from.xy / from.w) * viewport;
  float pixels = length(along);
  along = pixels > 1e-6 ? along / pixels : vec2(1, 0);
  vec2 corner = kCorners[gl_VertexID];
  half_width = 0.5 * segment_from.w * pixel_scale;
  pixels_aside = corner.y * (half_width + 1);
  vec2 shift = vec2(-along.y, along.x) * pixels_aside + along * (corner.x - 0.5) * half_width;
  gl_Position = corner.x < 0.5 ? from : to;
  gl_Position.xy += 2 * shift / viewport * gl_Position.w;
  if (from_near < 0 && to_near < 0) gl_Position = vec4(0, 0, -2, 1);
  color = segment_color;
}

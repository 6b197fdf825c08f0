// Draws a segment between two places in clip coordinates as a strip of two triangles on the screen.
// `index` is one of their six vertices; ends behind the eye are moved to the near plane. `strip` tells
// strip_coverage() across and along it: a direction, the middle of the strip that way, and half its size.
const vec2 kStripCorners[6] =
    vec2[](vec2(0, -1), vec2(1, -1), vec2(1, 1), vec2(0, -1), vec2(1, 1), vec2(0, 1));

vec4 strip_corner(int index, vec4 from, vec4 to, float half_width, vec2 viewport,
                  out mat2x4 strip) {
  float from_near = from.z + from.w, to_near = to.z + to.w;
  vec4 whole_from = from;
  if (from_near < 0.0) from = mix(from, to, from_near / (from_near - to_near));
  if (to_near < 0.0) to = mix(to, whole_from, to_near / (to_near - from_near));

  vec2 along = (to.xy / to.w - from.xy / from.w) * viewport;
  float pixels = length(along);
  along = pixels > 1e-6 ? along / pixels : vec2(1, 0);
  vec2 corner = kStripCorners[index];
  vec2 normal = vec2(-along.y, along.x);
  vec2 begin = (0.5 * from.xy / from.w + 0.5) * viewport;
  strip = mat2x4(normal, -dot(normal, begin), half_width, along, -dot(along, begin) - 0.25 * pixels, 0.25 * pixels + 0.5 * half_width);
  // One more pixel, for the anti-aliased edges.
  vec2 shift = normal * corner.y * (half_width + 1.0) + along * (2.0 * corner.x - 1.0) * (0.5 * half_width + 1.0);
  vec4 place = corner.x < 0.5 ? from : to;
  place.xy += 2.0 * shift / viewport * place.w;
  return from_near < 0.0 && to_near < 0.0 ? vec4(0, 0, -2, 1) : place;
}

// Returns how much of a pixel the strip covers; distances that are interpolated are rounded differently by
// each rasterizer.
float strip_coverage(mat2x4 strip, vec2 pixel) {
  float aside = abs(dot(strip[0].xyz, vec3(pixel, 1))), ahead = abs(dot(strip[1].xyz, vec3(pixel, 1)));
  return clamp(strip[0].w + 0.5 - aside, 0.0, 1.0) * clamp(strip[1].w + 0.5 - ahead, 0.0, 1.0);
}

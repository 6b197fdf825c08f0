// Draws a segment between two places in clip coordinates as a strip of two triangles on the screen.
// `index` is one of their six vertices; ends behind the eye are moved to the near plane.
const vec2 kStripCorners[6] =
    vec2[](vec2(0, -1), vec2(1, -1), vec2(1, 1), vec2(0, -1), vec2(1, 1), vec2(0, 1));

vec4 strip_corner(int index, vec4 from, vec4 to, float half_width, vec2 viewport,
                  out float pixels_aside) {
  float from_near = from.z + from.w, to_near = to.z + to.w;
  vec4 whole_from = from;
  if (from_near < 0) from = mix(from, to, from_near / (from_near - to_near));
  if (to_near < 0) to = mix(to, whole_from, to_near / (to_near - from_near));

  vec2 along = (to.xy / to.w - from.xy / from.w) * viewport;
  float pixels = length(along);
  along = pixels > 1e-6 ? along / pixels : vec2(1, 0);
  vec2 corner = kStripCorners[index];
  pixels_aside = corner.y * (half_width + 1);  // one more pixel, for the anti-aliased edge
  vec2 shift = vec2(-along.y, along.x) * pixels_aside + along * (corner.x - 0.5) * half_width;
  vec4 place = corner.x < 0.5 ? from : to;
  place.xy += 2 * shift / viewport * place.w;
  return from_near < 0 && to_near < 0 ? vec4(0, 0, -2, 1) : place;
}

// Returns how much of a pixel at this distance from the middle of the segment the strip covers.
float strip_coverage(float pixels_aside, float half_width) {
  return clamp(half_width + 0.5 - abs(pixels_aside), 0, 1);
}

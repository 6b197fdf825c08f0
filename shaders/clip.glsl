// What is cut away: places outside a box, and those beyond a plane. Lengths are in scene units.
uniform int clipped;
uniform vec3 clip_lower, clip_upper;
uniform vec4 clip_plane;  // its normal, and the product of the normal with places on it

bool is_kept(vec3 place) {
  return clipped == 0 || (all(lessThanEqual(clip_lower, place)) && all(lessThanEqual(place, clip_upper)) &&
                          dot(clip_plane.xyz, place) <= clip_plane.w);
}

/// Shortens the part of a ray from `begin` to `end` to what is kept; `inverse` is 1 / direction.
void keep_part(vec3 eye, vec3 direction, vec3 inverse, inout float begin, inout float end) {
  if (clipped == 0) return;
  vec3 low = (clip_lower - eye) * inverse, high = (clip_upper - eye) * inverse;
  vec3 enter = min(low, high), leave = max(low, high);
  begin = max(max(begin, enter.x), max(enter.y, enter.z));
  end = min(min(end, leave.x), min(leave.y, leave.z));
  float slope = dot(clip_plane.xyz, direction), left = clip_plane.w - dot(clip_plane.xyz, eye);
  if (slope > 0.0) end = min(end, left / slope);
  if (slope < 0.0) begin = max(begin, left / slope);
  if (slope == 0.0 && left < 0.0) end = begin;
}

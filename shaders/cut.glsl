// Where a ray enters or leaves the shown part of a volume through one of its faces.

const float kOnFace = 1e-4;  // scene units

/// Returns the normal, of either sign, of the face of a box by which a ray passes at a place; 0 if
/// that is on none. `along` becomes how far the ray is from the face. Lengths are in scene units.
vec3 face_normal(vec3 place, vec3 direction, vec3 lower, vec3 upper, out float along) {
  vec3 away = min(abs(place - lower), abs(place - upper));
  // Near an edge it is not the nearest face, but that which the ray meets first.
  vec3 lengths = away / abs(direction);
  lengths = mix(lengths, vec3(1e30), greaterThan(away, vec3(kOnFace)));
  along = min(min(lengths.x, lengths.y), lengths.z);
  return along < 1e30 ? normalize(vec3(equal(lengths, vec3(along)))) : vec3(0);
}

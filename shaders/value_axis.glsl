// Maps a value to a coordinate of the look's texture, which is clamped outside 0..1.
uniform float axis_scale, axis_start;
uniform int axis_logarithmic;

float axis_coordinate(float value) {
  float measure = axis_logarithmic != 0 ? log2(max(value, 1e-37)) : value;
  return measure * axis_scale + axis_start;
}

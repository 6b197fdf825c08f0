// The ray of a pixel through the volume, in equal steps, in skde-view and on the page for browsers. Lengths
// are in scene units about the volume's centre, places in the volume in texture coordinates. Before this
// file stand the uniforms box_half (negative along flipped axes) and dims, and picture_size().

#include "clip.glsl"
#include "cut.glsl"

uniform vec3 eye, forward;
uniform vec3 across, upwards;  // half the width and height of the picture at distance 1
uniform vec2 near_far;
uniform float samples_per_cell;

const float kBrickCells = 8.0;  // as in volume_texture.hpp

vec3 direction;
vec3 first, stride;  // place of the first sample, and the step between samples
float step_length;
int samples;
float met;  // distance of what is drawn in the volume
vec3 brick_first, brick_stride, brick_inverse;  // the same in bricks

/// Sets these variables for the ray through a share of the picture, behind which something drawn has this
/// depth; returns false if it misses the box or ends before it. Samples are at the fraction `offset` of
/// their steps.
bool aim(vec2 share, float depth, float offset) {
  vec3 through = forward + (2.0 * share.x - 1.0) * across + (2.0 * share.y - 1.0) * upwards;
  float stretch = length(through);
  direction = through / stretch;
  // Avoids components of 0, so that the reciprocals are finite.
  direction = mix(direction, vec3(1e-7), lessThan(abs(direction), vec3(1e-7)));

  vec3 inverse = 1.0 / direction;
  vec3 middle = -eye * inverse, reach = abs(box_half) * abs(inverse);
  vec3 enter = middle - reach, leave = middle + reach;
  float begin = max(max(max(enter.x, enter.y), enter.z), near_far.x * stretch);
  float end = min(min(leave.x, leave.y), leave.z);
  met = stretch * near_far.x * near_far.y / mix(near_far.y, near_far.x, depth);
  end = min(end, met);
  keep_part(eye, direction, inverse, begin, end);
  if (end <= begin) return false;

  vec3 scale = 0.5 / box_half;
  float cells = length(direction * scale * dims) * (end - begin);
  samples = int(ceil(max(cells * samples_per_cell, 1.0)));
  step_length = (end - begin) / float(samples);
  first = (eye + (begin + offset * step_length) * direction) * scale + 0.5;
  stride = step_length * direction * scale;
  vec3 bricks = dims / kBrickCells;
  brick_first = first * bricks;
  brick_stride = stride * bricks;
  brick_inverse = 1.0 / brick_stride;
  return true;
}

/// Returns the normal, of either sign, of the face of what is kept of the volume on which the first
/// sample of the ray or, if `last`, its end lies. Returns 0 if the ray begins at the eye, ends at
/// something drawn in the volume, or meets that within a pixel of the face: a section in it is seen.
vec3 cut_normal(bool last) {
  vec3 place = (2.0 * (first + (last ? float(samples) : 0.0) * stride) - 1.0) * box_half;
  vec3 lower = -abs(box_half), upper = abs(box_half);
  if (clipped != 0) {
    lower = max(lower, clip_lower);
    upper = min(upper, clip_upper);
  }
  float along;
  vec3 normal = face_normal(place, direction, lower, upper, along);
  float beyond = abs(dot(clip_plane.xyz, place) - clip_plane.w);
  if (clipped != 0 && beyond < kOnFace && beyond < along * abs(dot(clip_plane.xyz, direction)))
    normal = clip_plane.xyz;
  float away = length(place - eye), pixel = 2.0 * length(across) / picture_size().x * away;
  bool hidden = (met - away) * max(abs(dot(normal, direction)), 0.1) < 1.5 * pixel + kOnFace;
  return hidden ? vec3(0) : normal;
}

// Marches the ray of a pixel through the volume in equal steps, and skips empty bricks. Lengths are
// in scene units, places in the volume in texture coordinates.

#include "clip.glsl"
#include "cut.glsl"
#include "hash.glsl"

layout(local_size_x = 8, local_size_y = 8) in;

layout(binding = 0) uniform sampler3D volume;
layout(binding = 1) uniform usampler3D brick_distances;
layout(binding = 2) uniform sampler2D scene_depth;
layout(binding = 5) uniform sampler3D means;  // of 2^3 cells
layout(binding = 0, rgba8) writeonly uniform image2D picture;

uniform vec3 eye, forward;
uniform vec3 across, upwards;  // half the width and height of the picture at distance 1
uniform vec2 near_far;
uniform vec3 box_half;         // negative along flipped axes
uniform vec3 dims;
uniform float samples_per_cell;
uniform int has_means;
uniform int jittered;

const float kBrickCells = 8;  // as in brick_grid.hpp
// Samples between two brick look-ups: all lanes of a group do them together.
const int kRun = 8;

vec3 direction;
vec3 first, stride;  // place of the first sample, and the step between samples
float step_length;
int samples;
float met;  // distance of what is drawn in the volume
int spacing = 1;   // of the samples from next_seen() on, in steps
bool coarse = false;  // whether means serve for these samples
vec3 brick_first, brick_stride, brick_inverse;  // the same in bricks

/// Returns the offset of a pixel's samples within their steps.
float jitter(ivec2 pixel) { return jittered != 0 ? hash(uvec2(pixel)) : 0.5; }

/// Adds noise below the rounding of 8-bit colours, which would otherwise show rings in faint glows.
vec4 dithered(vec4 color, ivec2 pixel) {
  float noise = jittered != 0 ? hash(uvec2(pixel) + 7919u) - 0.5 : 0.0;
  return color + noise / 255.0;
}

/// Sets these variables for a pixel; returns false if its ray misses the box or ends before it.
/// Samples are at the fraction `offset` of their steps.
bool aim(ivec2 pixel, float offset) {
  ivec2 size = imageSize(picture);
  vec2 share = (vec2(pixel) + 0.5) / vec2(size);
  vec3 through = forward + (2 * share.x - 1) * across + (2 * share.y - 1) * upwards;
  float stretch = length(through);
  direction = through / stretch;
  // Avoids components of 0, so that the reciprocals are finite.
  direction = mix(direction, vec3(1e-7), lessThan(abs(direction), vec3(1e-7)));

  vec3 inverse = 1 / direction;
  vec3 middle = -eye * inverse, reach = abs(box_half) * abs(inverse);
  vec3 enter = middle - reach, leave = middle + reach;
  float begin = max(max(max(enter.x, enter.y), enter.z), near_far.x * stretch);
  float end = min(min(leave.x, leave.y), leave.z);
  float depth = texelFetch(scene_depth, ivec2(share * vec2(textureSize(scene_depth, 0))), 0).r;
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
  brick_inverse = 1 / brick_stride;
  return true;
}

/// Returns the normal, of either sign, of the face of what is kept of the volume on which the first
/// sample of the ray or, if `last`, its end lies. Returns 0 if the ray begins at the eye, ends at
/// something drawn in the volume, or meets that within a pixel of the face: a section in it is seen.
vec3 cut_normal(bool last) {
  vec3 place = (2 * (first + (last ? float(samples) : 0.0) * stride) - 1) * box_half;
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
  float away = length(place - eye), pixel = 2 * length(across) / float(imageSize(picture).x) * away;
  bool hidden = (met - away) * max(abs(dot(normal, direction)), 0.1) < 1.5 * pixel + kOnFace;
  return hidden ? vec3(0) : normal;
}

ivec3 brick_at(vec3 place) {
  return clamp(ivec3(floor(place)), ivec3(0), textureSize(brick_distances, 0) - 1);
}

/// Returns the number of samples from `place` to the first one outside the bricks nearer than
/// `distance` to `brick`.
int samples_past(vec3 place, ivec3 brick, float distance) {
  vec3 past = (vec3(brick) + 0.5 - place) * brick_inverse + (distance - 0.5) * abs(brick_inverse);
  return int(ceil(clamp(min(min(past.x, past.y), past.z), 1.0, 1e6)));
}

const uint kDistance = 63u;  // bits of the distance; those above are the smoothness of the brick

/// Sets how many steps apart samples are. Where they may be further apart than cells, the means of
/// cells serve as well, which lie closer together in memory.
void take_spacing(uint brick) {
#ifdef SPACED
  uint smoothness = brick >> 6;
  spacing = max(int(float(1u << smoothness) * min(samples_per_cell, 1.0)), 1);
  coarse = has_means != 0 && smoothness > 0u;
#endif
}

/// Returns the first sample from `k` on in a brick that may be seen, or at least `samples` if there
/// is none.
int next_seen(int k) {
  while (k < samples) {
    vec3 place = brick_first + float(k) * brick_stride;
    ivec3 brick = brick_at(place);
    uint found = texelFetch(brick_distances, brick, 0).r, distance = found & kDistance;
    take_spacing(found);
    if (distance == 0u) break;
    k += samples_past(place, brick, float(distance));
  }
  return k;
}

float value_at(vec3 place) {
  return coarse ? textureLod(means, place, 0).r : textureLod(volume, place, 0).r;
}

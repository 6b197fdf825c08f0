// The ray of a pixel through the volume, cut into equal steps, and leaps over bricks that hold nothing.
// Lengths are in scene units, places in the volume in texture coordinates.

#include "hash.glsl"

layout(local_size_x = 8, local_size_y = 8) in;

layout(binding = 0) uniform sampler3D volume;
layout(binding = 1) uniform usampler3D brick_distances;
layout(binding = 2) uniform sampler2D scene_depth;
layout(binding = 0, rgba8) writeonly uniform image2D picture;

uniform vec3 eye, forward;
uniform vec3 across, upwards;  // half the picture's width and height at distance 1
uniform vec2 near_far;
uniform vec3 box_half;         // below 0 along axes that are flipped
uniform vec3 dims;
uniform float samples_per_cell;
uniform int jittered;

const float kBrickCells = 8;  // as in brick_grid.hpp
// Samples between two looks at the bricks: all lanes of a group take them together.
const int kRun = 8;

vec3 direction;
vec3 first, stride;  // place of the first sample, and from sample to sample
float step_length;
int samples;
vec3 brick_first, brick_stride, brick_inverse;  // the same in bricks

/// Where in their steps the samples of a pixel lie.
float jitter(ivec2 pixel) { return jittered != 0 ? hash(uvec2(pixel)) : 0.5; }

/// Colours of 8 bits would show rings in faint glows; a noise below their rounding hides them.
vec4 dithered(vec4 color, ivec2 pixel) {
  float noise = jittered != 0 ? hash(uvec2(pixel) + 7919u) - 0.5 : 0.0;
  return color + noise / 255.0;
}

/// Sets all of these for a pixel; false where its ray misses the box or ends before it. Samples lie
/// at the share `offset` of their steps.
bool aim(ivec2 pixel, float offset) {
  ivec2 size = imageSize(picture);
  vec2 share = (vec2(pixel) + 0.5) / vec2(size);
  vec3 through = forward + (2 * share.x - 1) * across + (2 * share.y - 1) * upwards;
  float stretch = length(through);
  direction = through / stretch;
  // No component is 0, so that its reciprocal is finite.
  direction = mix(direction, vec3(1e-7), lessThan(abs(direction), vec3(1e-7)));

  vec3 inverse = 1 / direction;
  vec3 middle = -eye * inverse, reach = abs(box_half) * abs(inverse);
  vec3 enter = middle - reach, leave = middle + reach;
  float begin = max(max(max(enter.x, enter.y), enter.z), near_far.x * stretch);
  float end = min(min(leave.x, leave.y), leave.z);
  float depth = texelFetch(scene_depth, ivec2(share * vec2(textureSize(scene_depth, 0))), 0).r;
  end = min(end, stretch * near_far.x * near_far.y / mix(near_far.y, near_far.x, depth));
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

ivec3 brick_at(vec3 place) {
  return clamp(ivec3(floor(place)), ivec3(0), textureSize(brick_distances, 0) - 1);
}

/// Samples from `place` to the first one outside the bricks nearer than `distance` to `brick`.
int samples_past(vec3 place, ivec3 brick, float distance) {
  vec3 past = (vec3(brick) + 0.5 - place) * brick_inverse + (distance - 0.5) * abs(brick_inverse);
  return int(ceil(clamp(min(min(past.x, past.y), past.z), 1.0, 1e6)));
}

/// The first sample from `k` on that lies in a brick which may be seen; or at least `samples`.
int next_seen(int k) {
  while (k < samples) {
    vec3 place = brick_first + float(k) * brick_stride;
    ivec3 brick = brick_at(place);
    uint distance = texelFetch(brick_distances, brick, 0).r;
    if (distance == 0u) break;
    k += samples_past(place, brick, float(distance));
  }
  return k;
}

float value_at(vec3 place) { return textureLod(volume, place, 0).r; }

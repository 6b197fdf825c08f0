// Marches the ray of a pixel through the volume in equal steps, and skips empty bricks. Lengths are
// in scene units, places in the volume in texture coordinates.

#include "hash.glsl"

layout(local_size_x = 8, local_size_y = 8) in;

layout(binding = 0) uniform sampler3D volume;
layout(binding = 1) uniform usampler3D brick_distances;
layout(binding = 2) uniform sampler2D scene_depth;
layout(binding = 5) uniform sampler3D means;  // of 2^3 cells
layout(binding = 0, rgba8) writeonly uniform image2D picture;

uniform vec3 box_half;         // negative along flipped axes
uniform vec3 dims;
uniform int has_means;
uniform int jittered;

vec2 picture_size() { return vec2(imageSize(picture)); }

#include "ray_aim.glsl"

// Samples between two brick look-ups: all lanes of a group do them together.
const int kRun = 8;

int spacing = 1;   // of the samples from next_seen() on, in steps
bool coarse = false;  // whether means serve for these samples

/// Returns the offset of a pixel's samples within their steps.
float jitter(ivec2 pixel) { return jittered != 0 ? hash(uvec2(pixel)) : 0.5; }

/// Adds noise below the rounding of 8-bit colours, which would otherwise show rings in faint glows.
vec4 dithered(vec4 color, ivec2 pixel) {
  float noise = jittered != 0 ? hash(uvec2(pixel) + 7919u) - 0.5 : 0.0;
  return color + noise / 255.0;
}

/// Aims at a pixel, past what is drawn there.
bool aim(ivec2 pixel, float offset) {
  vec2 share = (vec2(pixel) + 0.5) / picture_size();
  return aim(share, texelFetch(scene_depth, ivec2(share * vec2(textureSize(scene_depth, 0))), 0).r, offset);
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

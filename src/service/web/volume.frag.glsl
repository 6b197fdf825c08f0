// Draws the volume before what lies in it. A ray is marched in equal steps and skips bricks in which
// nothing can be seen, as in shaders/ray_march.glsl. Lengths are in scene units about the volume's
// centre, places in the volume in texture coordinates.

uniform sampler3D bricks;
uniform sampler2D colors, under, under_depth;

uniform vec3 eye, forward;
uniform vec3 across, upwards;  // half the width and height of the picture at distance 1
uniform vec2 near_far;
uniform vec3 clip_low, clip_high;
uniform float least_seen;  // lower values are invisible
uniform float layer;       // thickness to which the opacity of the colours refers

out vec4 picture;

const float kBrickCells = 8.0;
const float kEnough = 0.005;  // transmitted share below which no difference is visible
const float kWorthLight = 0.002;  // least opacity of a sample whose gradient is computed
const int kRun = 8;  // samples between two brick look-ups

vec3 direction;
vec3 first, stride;  // place of the first sample, and the step between samples
float step_length;
int samples;
vec3 brick_first, brick_stride, brick_inverse;  // the same in bricks

#include "cut.glsl"
#include "hash.glsl"
#include "value_axis.glsl"

float value_at(vec3 place) { return textureLod(volume, place, 0.0).r; }

#include "surface.glsl"

/// Sets these variables for the pixel; returns false if its ray misses the clip box or ends before
/// it. Samples are at the fraction `offset` of their steps.
bool aim(float offset) {
  vec2 size = vec2(textureSize(under, 0));
  vec2 share = gl_FragCoord.xy / size;
  vec3 through = forward + (2.0 * share.x - 1.0) * across + (2.0 * share.y - 1.0) * upwards;
  float stretch = length(through);
  direction = through / stretch;
  // Avoids components of 0, so that the reciprocals are finite.
  direction = mix(direction, vec3(1e-7), lessThan(abs(direction), vec3(1e-7)));

  vec3 scale = 0.5 / box_half;
  vec3 start = eye * scale + 0.5, inverse = 1.0 / (direction * scale);
  vec3 low = (clip_low - start) * inverse, high = (clip_high - start) * inverse;
  vec3 enter = min(low, high), leave = max(low, high);
  float begin = max(max(max(enter.x, enter.y), enter.z), near_far.x * stretch);
  float end = min(min(leave.x, leave.y), leave.z);
  float depth = texelFetch(under_depth, ivec2(gl_FragCoord.xy), 0).r;
  end = min(end, stretch * near_far.x * near_far.y / mix(near_far.y, near_far.x, depth));
  if (end <= begin) return false;

  float cells = length(direction * scale * dims) * (end - begin);
  samples = int(ceil(max(cells, 1.0)));
  step_length = (end - begin) / float(samples);
  first = (eye + (begin + offset * step_length) * direction) * scale + 0.5;
  stride = step_length * direction * scale;
  vec3 in_bricks = dims / kBrickCells;
  brick_first = first * in_bricks;
  brick_stride = stride * in_bricks;
  brick_inverse = 1.0 / brick_stride;
  return true;
}

/// Returns the first sample from `k` on in a brick that may be seen, or at least `samples` if there
/// is none.
int next_seen(int k) {
  while (k < samples) {
    vec3 place = brick_first + float(k) * brick_stride;
    ivec3 brick = clamp(ivec3(floor(place)), ivec3(0), textureSize(bricks, 0) - 1);
    if (texelFetch(bricks, brick, 0).r >= least_seen) break;
    vec3 past = (vec3(brick) + 0.5 - place) * brick_inverse + 0.5 * abs(brick_inverse);
    k += int(ceil(clamp(min(min(past.x, past.y), past.z), 1.0, 1e6)));
  }
  return k;
}

vec4 look_of(float value) { return textureLod(colors, vec2(axis_coordinate(value), 0.5), 0.0); }

#if defined(COMPOSITE)
uniform int shading;

vec4 marched() {
  vec3 color = vec3(0);
  float behind = 1.0;  // share of the background's light that is still transmitted
  if (!aim(hash(uvec2(gl_FragCoord.xy)))) return vec4(0);
  float layers = step_length / layer;
  for (int k = next_seen(0); k < samples && behind > kEnough; k = next_seen(k)) {
    for (int last = min(k + kRun, samples); k < last; ++k) {
      vec3 place = first + float(k) * stride;
      float value = value_at(place);
      vec4 texel = look_of(value);
      float through = exp2(-texel.a * layers);
      float weight = behind - behind * through;
      if (shading != 0 && weight > kWorthLight) texel.rgb = lit(texel.rgb, cloud_light(place, value, direction));
      color += weight * texel.rgb;
      behind *= through;
    }
  }
  // Noise below the rounding of 8-bit colours, which would otherwise show rings in faint glows.
  return vec4(color, 1.0 - behind) + (hash(uvec2(gl_FragCoord.xy) + 7919u) - 0.5) / 255.0;
}

#elif defined(MAXIMUM)
vec4 marched() {
  float greatest = 0.0;
  if (!aim(hash(uvec2(gl_FragCoord.xy)))) return vec4(0);
  for (int k = next_seen(0); k < samples; k = next_seen(k))
    for (int last = min(k + kRun, samples); k < last; ++k)
      greatest = max(greatest, value_at(first + float(k) * stride));
  float coordinate = axis_coordinate(greatest);
  // Values not above the axis show the background, with a smooth transition.
  float opacity = clamp(coordinate * 50.0 - 0.05, 0.0, 1.0);
  if (greatest < least_seen) opacity = 0.0;
  return vec4(opacity * look_of(greatest).rgb, opacity);
}

#elif defined(SURFACES)
#include "nested_surfaces.glsl"

/// Fills the cut by a face of the clip box at the ray's first sample or at its end, as
/// raymarch_nested.comp does.
void add_cut(bool last, int around, inout vec3 color, inout float behind) {
  if (around == 0) return;
  vec3 place = (2.0 * (first + (last ? float(samples) : 0.0) * stride) - 1.0) * box_half;
  vec3 lower = (2.0 * clip_low - 1.0) * box_half, upper = (2.0 * clip_high - 1.0) * box_half;
  float along;
  vec3 normal = face_normal(place, direction, lower, upper, along);
  if (normal == vec3(0)) return;
  color += behind * lit(surface_colors[around - 1].rgb, normal, direction);
  behind = 0.0;
}

vec4 marched() {
  vec3 color = vec3(0);
  float behind = 1.0;
  // Both ends of the ray are samples, so that no part of it is skipped.
  if (!aim(0.0)) return vec4(0);
  int k = 0;
  float value = value_at(first);  // of sample k
  bool entered = surfaces_around(value) > 0;
  add_cut(false, surfaces_around(value), color, behind);
  while (k < samples && behind > kEnough) {
    int seen = next_seen(k);
    if (seen > k) {
      // A surface may be just before the first sample in a brick.
      k = seen - 1;
      value = value_at(first + float(k) * stride);
    }
    for (int last = min(k + kRun, samples); k < last; ++k) {
      vec3 place = first + float(k + 1) * stride;
      float next = value_at(place);
      add_crossed(place, value, next, color, behind);
      value = next;
    }
  }
  entered = entered || behind < 1.0;
  if (entered && behind > kEnough)
    add_cut(true, surfaces_around(value_at(first + float(samples) * stride)), color, behind);
  return vec4(color, 1.0 - behind);
}

#else
vec4 marched() { return vec4(0); }
#endif

void main() {
  vec4 color = marched();
  picture = vec4(color.rgb + (1.0 - color.a) * texelFetch(under, ivec2(gl_FragCoord.xy), 0).rgb, 1);
}

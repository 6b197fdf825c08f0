// Draws the volume before what lies in it. A ray is marched in equal steps and skips bricks in which
// nothing can be seen, as in shaders/ray_march.glsl. Lengths are in scene units about the volume's
// centre, places in the volume in texture coordinates.

uniform sampler3D bricks;
uniform sampler2D colors, under, under_depth;

uniform float least_seen;  // lower values are invisible
uniform float layer;       // thickness to which the opacity of the colours refers

out vec4 picture;

const float kEnough = 0.005;  // transmitted share below which no difference is visible
const float kWorthLight = 0.002;  // least opacity of a sample whose gradient is computed
const int kRun = 8;  // samples between two brick look-ups

vec2 picture_size() { return vec2(textureSize(under, 0)); }

#include "hash.glsl"
#include "ray_aim.glsl"
#include "value_axis.glsl"

float value_at(vec3 place) { return textureLod(volume, place, 0.0).r; }

#include "surface.glsl"

bool aim(float offset) {
  return aim(gl_FragCoord.xy / picture_size(), texelFetch(under_depth, ivec2(gl_FragCoord.xy), 0).r, offset);
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

// Both ends of the ray are samples, so that no part of it is skipped.
vec4 marched() { return aim(0.0) ? marched_surfaces() : vec4(0); }

#else
vec4 marched() { return vec4(0); }
#endif

void main() {
  vec4 color = marched();
  picture = vec4(color.rgb + (1.0 - color.a) * texelFetch(under, ivec2(gl_FragCoord.xy), 0).rgb, 1);
}

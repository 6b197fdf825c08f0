// Composites the colours of the look from front to back; with GRADIENT_SHADING, lit by the
// gradient.
#define SPACED
#include "ray_march.glsl"
#include "value_axis.glsl"
#ifdef GRADIENT_SHADING
#include "shading.glsl"
#endif

layout(binding = 3) uniform sampler1D colors;

uniform float layer;  // thickness to which the opacity of the colours refers

const float kEnough = 0.005;  // transmitted share below which no difference is visible
#ifdef GRADIENT_SHADING
const float kWorthLight = 0.002;  // least opacity of a sample whose gradient is computed
// Samples of at most this opacity have the light of the first visible one of kLit.
const float kSharesLight = 0.006;
const int kLit = 2;
const int kSamples = 4;           // between two brick look-ups
#else
const int kSamples = kRun;
#endif

void main() {
  ivec2 pixel = ivec2(gl_GlobalInvocationID.xy);
  if (any(greaterThanEqual(pixel, imageSize(picture)))) return;
  vec3 color = vec3(0);
  float behind = 1;  // share of the background's light that is still transmitted
  float offset = jitter(pixel);
  if (aim(pixel, offset)) {
    float layers = step_length / layer;
    for (int k = next_seen(0); k < samples && behind > kEnough; k = next_seen(k)) {
      // A sample stands for `spacing` steps, and has the same place among them as among one.
      vec3 spaced = float(spacing) * stride;
      vec3 place = first + float(k) * stride + offset * (spaced - stride);
#ifdef GRADIENT_SHADING
      vec2 shine = vec2(0);
#endif
      for (int i = 0; i < kSamples; ++i, place += spaced) {
        float value = value_at(place);
        vec4 texel = textureLod(colors, axis_coordinate(value), 0);
        float steps = float(clamp(samples - k - i * spacing, 0, spacing));
        float through = exp2(-texel.a * layers * steps);
        float weight = behind - behind * through;
#ifdef GRADIENT_SHADING
        if (i % kLit == 0) shine = vec2(0);
        if (weight > kWorthLight * float(spacing)) {
          if (shine.x == 0 || weight > kSharesLight) shine = cloud_light(place, value, direction);
          texel.rgb = lit(texel.rgb, shine);
        }
#endif
        color += weight * texel.rgb;
        behind *= through;
      }
      k += kSamples * spacing;
    }
  }
  imageStore(picture, pixel, dithered(vec4(color, 1 - behind), pixel));
}

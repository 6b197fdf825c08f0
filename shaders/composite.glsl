// Composites the colours of the look from front to back; with GRADIENT_SHADING, lit by the
// gradient.
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

vec3 shaded(vec3 color, vec3 place, float value) {
  vec3 gradient = tetrahedral_gradient(place);
  float slope = length(gradient);
  // Where the density is flat, its gradient has no meaningful direction.
  float weight = smoothstep(0.1, 2.0, slope / value);
  return mix(color, lit(color, gradient / max(slope, 1e-30), direction), weight);
}
#endif

void main() {
  ivec2 pixel = ivec2(gl_GlobalInvocationID.xy);
  if (any(greaterThanEqual(pixel, imageSize(picture)))) return;
  vec3 color = vec3(0);
  float behind = 1;  // share of the background's light that is still transmitted
  if (aim(pixel, jitter(pixel))) {
    float layers = step_length / layer;
    for (int k = next_seen(0); k < samples && behind > kEnough; k = next_seen(k)) {
      vec3 place = first + float(k) * stride;
      for (int i = 0; i < kRun; ++i, place += stride) {
        float value = value_at(place);
        vec4 texel = textureLod(colors, axis_coordinate(value), 0);
        float through = exp2(k + i < samples ? -texel.a * layers : 0.0);
        float weight = behind - behind * through;
#ifdef GRADIENT_SHADING
        if (weight > kWorthLight) texel.rgb = shaded(texel.rgb, place, value);
#endif
        color += weight * texel.rgb;
        behind *= through;
      }
      k += kRun;
    }
  }
  imageStore(picture, pixel, dithered(vec4(color, 1 - behind), pixel));
}

#version 450 core
// Finds the smallest and the largest value that trilinear filtering can read in each brick, from
// its cells and the cells around them, with one group per brick. Also finds the range of all
// positive finite values.

layout(local_size_x = 64) in;

layout(binding = 0) uniform sampler3D volume;
layout(binding = 0, rg32f) writeonly uniform image3D ranges;
// Positive floats are ordered like their bits.
layout(std430, binding = 0) buffer Positive { uint least; uint greatest; } positive;

uniform int brick_cells;

shared float least[64], greatest[64], least_positive[64], greatest_finite[64];

void main() {
  ivec3 brick = ivec3(gl_WorkGroupID);
  ivec3 last = textureSize(volume, 0) - 1;
  ivec3 from = max(brick * brick_cells - 1, ivec3(0));
  ivec3 count = min((brick + 1) * brick_cells, last) - from + 1;
  int lane = int(gl_LocalInvocationIndex);

  const float infinity = uintBitsToFloat(0x7f800000u);
  vec4 found = vec4(infinity, -infinity, infinity, 0);
  for (int i = lane; i < count.x * count.y * count.z; i += 64) {
    ivec3 cell = from + ivec3(i % count.x, i / count.x % count.y, i / (count.x * count.y));
    float value = texelFetch(volume, cell, 0).r;
    found.x = min(found.x, value);
    found.y = max(found.y, value);
    if (value > 0) found.z = min(found.z, value);
    if (value < infinity) found.w = max(found.w, value);
  }
  least[lane] = found.x;
  greatest[lane] = found.y;
  least_positive[lane] = found.z;
  greatest_finite[lane] = found.w;
  for (int stride = 32; stride > 0; stride /= 2) {
    barrier();
    if (lane < stride) {
      least[lane] = min(least[lane], least[lane + stride]);
      greatest[lane] = max(greatest[lane], greatest[lane + stride]);
      least_positive[lane] = min(least_positive[lane], least_positive[lane + stride]);
      greatest_finite[lane] = max(greatest_finite[lane], greatest_finite[lane + stride]);
    }
  }
  if (lane != 0) return;
  imageStore(ranges, brick, vec4(least[0], greatest[0], 0, 0));
  // Most bricks improve neither bound; reading first avoids the atomics.
  if (greatest_finite[0] > 0) {
    uint high = floatBitsToUint(greatest_finite[0]), low = floatBitsToUint(least_positive[0]);
    if (high > positive.greatest) atomicMax(positive.greatest, high);
    if (low < positive.least) atomicMin(positive.least, low);
  }
}

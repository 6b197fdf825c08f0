#version 450 core
// Counts positive values by their logarithm. A group counts a column of cells in shared memory.

const int kBins = 4096;  // as in volume_histogram.hpp

layout(local_size_x = 16, local_size_y = 16) in;
const int kLanes = 256;

layout(binding = 0) uniform sampler3D volume;
layout(std430, binding = 0) buffer Counts { uint counts[]; };

// The bin of a value: log2(value) * bin_scale + bin_offset.
uniform float bin_scale, bin_offset, least;
uniform int column_cells, slab_cells;

shared uint column_counts[kBins];

void main() {
  int lane = int(gl_LocalInvocationIndex);
  for (int bin = lane; bin < kBins; bin += kLanes) column_counts[bin] = 0u;
  barrier();
  ivec3 size = textureSize(volume, 0);
  int z = int(gl_WorkGroupID.z) * column_cells;
  ivec2 place = ivec2(gl_GlobalInvocationID.xy);
  if (all(lessThan(place, size.xy))) {
    for (int k = z; k < min(z + column_cells, size.z); ++k) {
      float value = texelFetch(volume, ivec3(place, k), 0).r;
      if (value >= least && !isinf(value)) {
        int bin = int(floor(log2(value) * bin_scale + bin_offset));
        atomicAdd(column_counts[clamp(bin, 0, kBins - 1)], 1u);
      }
    }
  }
  barrier();
  // Each slab has its own counters, which cannot overflow.
  for (int bin = lane; bin < kBins; bin += kLanes) {
    uint count = column_counts[bin];
    if (count > 0u) atomicAdd(counts[(z / slab_cells) * kBins + bin], count);
  }
}

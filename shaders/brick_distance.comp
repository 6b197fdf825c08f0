#version 450 core
// One of three passes, one per axis, that turn the occupancy of bricks into the distance to the
// nearest occupied brick, measured as the largest of the three axis distances. All nearer bricks
// are empty. A brick becomes as rough as any that a run of samples from it can reach.

layout(local_size_x = 4, local_size_y = 4, local_size_z = 4) in;

layout(binding = 0) uniform usampler3D source;
layout(binding = 0, r8ui) writeonly uniform uimage3D distances;

uniform ivec3 axis;  // (1, 0, 0), (0, 1, 0) or (0, 0, 1)

const int kFarthest = 15, kRunBricks = 4;  // a run of 8 samples that are 4 cells apart
const uint kDistance = 63u;  // bits of the distance; those above are the smoothness

void main() {
  ivec3 size = imageSize(distances);
  ivec3 brick = ivec3(gl_GlobalInvocationID);
  if (any(greaterThanEqual(brick, size))) return;
  uint nearest = uint(kFarthest + 1), smoothness = 3u;
  for (int offset = -kFarthest; offset <= kFarthest; ++offset) {
    ivec3 other = brick + offset * axis;
    if (any(lessThan(other, ivec3(0))) || any(greaterThanEqual(other, size))) continue;
    uint there = texelFetch(source, other, 0).r;
    nearest = min(nearest, max(uint(abs(offset)), there & kDistance));
    if (abs(offset) <= kRunBricks) smoothness = min(smoothness, there >> 6);
  }
  imageStore(distances, brick, uvec4(nearest | smoothness << 6));
}

#include "kernels/spectral/node_spread.hpp"

#include <fmt/core.h>

namespace skde::kernels {

int NodeSpread::key_bits() const {
  int bits = 1;
  while ((std::int64_t{1} << bits) <= tile_count()) ++bits;
  return bits;
}

std::string NodeSpread::describe() const {
  return fmt::format("tiles of {} x {} x {} nodes, {} samples a block of {} threads", kTileX,
                     kTileY, kTileZ, kChunk, kBlock);
}

}  // namespace skde::kernels

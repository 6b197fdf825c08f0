#include "kernels/launch_policy.hpp"

#include <fmt/core.h>

namespace skde::kernels {

AccumulatePolicy accumulate_policy(int multiprocessors) {
  constexpr int kBlocksEach = 32;  // four waves of resident blocks even out slices of unequal size
  return {multiprocessors * kBlocksEach};
}

std::string AccumulatePolicy::describe() const {
  return fmt::format("a warp a slice, {} blocks of {} threads", blocks, kBlock);
}

std::string AllCellsPolicy::describe() const {
  return fmt::format("a thread a cell, {} samples a block of {} threads", samples, kBlock);
}

}  // namespace skde::kernels

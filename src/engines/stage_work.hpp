#pragma once

#include <optional>
#include <string_view>

#include "core/kernel/kernel_work.hpp"
#include "core/problem.hpp"

namespace skde {

/// What a run had to do, for models of its stages.
struct RunWork {
  double samples = 0;
  bool weighted = false;
  KernelWork kernels;

  double sample_bytes() const { return samples * (weighted ? 32.0 : 24.0); }
};

/// What a stage of a run does. Bytes are those that must cross the memory bus if caches hold all
/// that they can: inputs are read once, results are written once, and values that are added to are
/// read and written once. Operations are counted in units of the ceiling that they are compared
/// with: "fma" (fused multiply-adds, or another instruction in the place of one) or "coalesced
/// atomics" (atomic additions to neighbouring cells).
struct StageWork {
  double bytes = 0;
  std::optional<double> operations = {};
  std::string_view ceiling = {};
};

inline constexpr std::string_view kFmaCeiling = "fma", kAtomicsCeiling = "coalesced atomics";
/// Multiply-adds per cell at which q is evaluated.
inline constexpr double kFmaOfCell = 8;

/// Bytes of reading and writing all values, which adding to them takes.
inline double bytes_of_adding(const Problem& problem) {
  return 2 * static_cast<double>(problem.grid().bytes(problem.precision));
}

}  // namespace skde

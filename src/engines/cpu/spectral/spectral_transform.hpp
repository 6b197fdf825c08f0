#pragma once

#include <cstdint>
#include <memory>

#include "core/kernel/kernel_shape.hpp"
#include "core/report/progress.hpp"
#include "engines/spectral_plan.hpp"

namespace skde {

/// Turns the sums of samples over a working grid into the density at the cells, in place, by FFTW:
/// transforms along x, y and z, multiplies by the kernel's transform, and transforms back. A line
/// is transformed in the same way by whichever thread, so the bits do not depend on their number.
template <class Real>
class SpectralTransform {
 public:
  SpectralTransform(const SpectralPlan& plan, const Kernel& kernel, const Grid& grid, int threads);
  ~SpectralTransform();
  SpectralTransform(const SpectralTransform&) = delete;
  SpectralTransform& operator=(const SpectralTransform&) = delete;

  /// Overwrites `nodes`, which has rows of plan.row(), and writes every cell of the grid. Values
  /// below 0, which rounding leaves, become 0 unless keep_negatives is set. Throws
  /// Error(cancelled).
  template <class Value>
  void run(std::int64_t* nodes, Value* cells, bool keep_negatives, Progress& progress);

  /// Bytes besides the nodes.
  static double bytes(const SpectralPlan& plan, const Grid& grid, int threads);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace skde

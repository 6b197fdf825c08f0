#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/cloud/samples.hpp"
#include "core/report/progress.hpp"
#include "engines/cpu/cell_problem.hpp"
#include "engines/cpu/placed_sample.hpp"

namespace skde {

/// A sample in cell units, with the amplitude of its kernel.
template <class Real>
struct SliceSample {
  std::int32_t cell[3];
  Real offset[3];  ///< from the centre of its cell, in cells
  Real weight;     ///< w_i / W times the kernel's amplitude
};

/// The samples whose kernels reach the grid, sorted by the z of their cells and then in the order
/// of loading. The samples of a slice are thus one contiguous range.
template <class Real>
class ZOrder {
 public:
  /// Places and sorts samples, by a counting sort on all threads of the problem. Throws
  /// Error(cancelled).
  void build(const CellProblem& problem, const SamplesView& points, Progress& progress);
  /// Bytes per sample during the sort, and bytes that do not depend on the samples.
  static constexpr double kSampleBytes = sizeof(SliceSample<Real>) + sizeof(std::int32_t);
  static double fixed_bytes(const CellProblem& problem);

  /// Returns the samples that may reach slice z.
  std::span<const SliceSample<Real>> samples_near(std::int32_t z) const;

 private:
  void size_for(const CellProblem& problem);
  std::size_t buckets() const;
  std::size_t bucket_of(std::int32_t cell_z) const;

  std::int32_t reach_ = 0;   // slices from a sample's cell to the end of its kernel
  std::int32_t margin_ = 0;  // slices outside the grid that have buckets of their own
  std::int32_t slices_ = 0;
  std::vector<std::size_t> starts_;  // first sample of each bucket in samples_, and the end
  /// Not a vector: that would zero many gigabytes at once.
  std::unique_ptr<SliceSample<Real>[]> samples_;
  std::size_t capacity_ = 0;
};

}  // namespace skde

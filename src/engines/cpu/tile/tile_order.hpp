#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/cloud/samples.hpp"
#include "core/kernel/ellipsoid.hpp"
#include "core/report/progress.hpp"
#include "engines/cpu/cell_problem.hpp"
#include "engines/cpu/sample_range.hpp"
#include "engines/cpu/shared_progress.hpp"
#include "engines/cpu/z_order.hpp"

namespace skde {

/// A box of cells of a grid.
struct CellBox {
  std::array<IndexRange, 3> axes;
};

/// The samples whose kernels reach the grid, by width class and then by the bin of cells that they
/// lie in, x fastest. The samples that may reach a box of cells are thus a few contiguous ranges of
/// each class. The classes are powers of two of the reach in cells; samples of one shape are one
/// class.
template <class Real>
class TileOrder {
 public:
  /// Places and sorts samples, by a counting sort on all threads of the problem. The order does not
  /// depend on the number of threads. Throws Error(cancelled).
  void build(const CellProblem& problem, const SamplesView& points, Progress& progress);
  /// Bytes per sample during the sort, and bytes that do not depend on the samples.
  static double sample_bytes(bool shaped);
  static double fixed_bytes(const CellProblem& problem, bool shaped);

  /// Returns the ranges of samples that may reach the box.
  std::vector<SampleRange> ranges_near(const CellBox& box) const;
  const SliceSample<Real>* samples() const { return samples_.get(); }
  /// The ellipsoid of each sample; null if all have the common one.
  const Ellipsoid<Real>* ellipsoids() const { return shaped_ ? ellipsoids_.get() : nullptr; }

 private:
  /// The bins of one width class.
  struct WidthClass {
    std::array<std::int64_t, 3> margin{};  ///< cells outside the grid that have bins of their own
    std::array<std::int64_t, 3> bins{};
    std::int64_t edge = 1;      ///< of a bin, in cells
    std::size_t first_bin = 0;  ///< in starts_
    Vec3 reach;                 ///< largest of its samples
  };
  struct Placed;

  void size_for(const CellProblem& problem, bool shaped);
  Placed place(const CellProblem& problem, const SamplesView& points, std::size_t i) const;
  std::size_t class_of(Vec3 reach) const;
  std::int64_t bin_along(const WidthClass& of, std::size_t axis, std::int64_t cell) const;
  void reserve(std::size_t samples);

  bool shaped_ = false;
  std::array<std::int64_t, 3> dims_{};
  std::vector<WidthClass> classes_;
  std::size_t bins_ = 0;             // of all classes
  std::vector<std::size_t> starts_;  // first sample of each bin in samples_, and the end
  /// Not vectors: those would zero many gigabytes at once.
  std::unique_ptr<SliceSample<Real>[]> samples_;
  std::unique_ptr<Ellipsoid<Real>[]> ellipsoids_;
  std::size_t capacity_ = 0, ellipsoid_capacity_ = 0;
};

}  // namespace skde

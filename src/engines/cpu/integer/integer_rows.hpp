#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/kernel/ellipsoid.hpp"
#include "core/kernel/kernel_shape.hpp"
#include "engines/cpu/span/slice_spans.hpp"
#include "engines/cpu/z_order.hpp"

namespace skde {

/// One z-slice of the grid, into which a thread sums in integers. Each sample's contribution to a
/// cell is rounded separately, so the sums depend neither on the order of the samples nor on which
/// others there are. Products and sums are never fused: every x86-64 CPU gives the same bits.
class IntegerRows {
 public:
  static constexpr int kLanes = 8;  ///< of a vector

  IntegerRows(std::int32_t nx, std::int32_t ny);

  /// Adds the part of the samples' kernels that lies in slice z. A sample adds the integer nearest
  /// to its weight times the profile, which is cut as the kernel is. Weights must be below 2^51.
  /// Uses the best of the AVX-512, AVX2 and generic versions that this machine runs.
  void add(std::span<const SliceSample<double>> samples, std::int32_t z, const Kernel& kernel,
           const Ellipsoid<double>& ellipsoid);
  /// Adds `sign` (1 or -1) times the sums to the nx * ny sums at `slice`, then clears its own.
  void move_to(std::int64_t* slice, std::int64_t sign);

  std::int32_t nx() const { return nx_; }
  std::int32_t ny() const { return ny_; }
  std::int64_t* row(std::int32_t y) { return cells_.data() + std::int64_t{y} * stride_; }
  /// The spans of one sample.
  SliceSpans<double>& spans() { return spans_; }
  /// Marks rows as written to. Only these are moved.
  void touch(IndexRange y) {
    touched_ = {std::min(touched_.begin, y.begin), std::max(touched_.end, y.end)};
  }

 private:
  std::int32_t nx_, ny_;
  std::int64_t stride_;
  std::vector<std::int64_t> cells_;  // rows are padded, so that whole vectors may be written
  SliceSpans<double> spans_;
  IndexRange touched_;
};

}  // namespace skde

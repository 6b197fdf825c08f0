#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/kernel/ellipsoid.hpp"
#include "core/kernel/kernel_function.hpp"
#include "engines/cpu/span/slice_spans.hpp"
#include "engines/cpu/z_order.hpp"

namespace skde {

/// One z-slice of the grid, into which a thread sums. Rows are padded, so that whole vectors may be
/// written past their ends.
template <class Real>
class SliceRows {
 public:
  static constexpr int kLanes = 64 / sizeof(Real);  ///< of a vector
  static constexpr std::size_t kAhead = 4;          ///< samples whose spans are found at once

  SliceRows(std::int32_t nx, std::int32_t ny);
  static double bytes(std::int32_t nx, std::int32_t ny) {
    return sizeof(Real) * ny * (static_cast<double>(nx) + kLanes) +
           kAhead * SliceSpans<Real>::bytes(ny);
  }

  /// Adds its sums to the nx * ny sums at `slice`, then clears its own.
  template <class Sum>
  void move_to(Sum* slice);

  std::int32_t nx() const { return nx_; }
  std::int32_t ny() const { return ny_; }
  Real* row(std::int32_t y) { return cells_.data() + std::int64_t{y} * stride_; }

  /// The spans of one of kAhead samples. add_samples() fills and uses them.
  SliceSpans<Real>& spans(std::size_t i) { return spans_[i]; }

 private:
  std::int32_t nx_, ny_;
  std::int64_t stride_;
  std::vector<Real> cells_;
  std::vector<SliceSpans<Real>> spans_;
};

/// Adds the part of the samples' kernels that lies in slice z. Uses the best of the AVX-512, AVX2
/// and generic versions that this machine runs.
template <class Real>
void add_samples(SliceRows<Real>& rows, std::span<const SliceSample<Real>> samples, std::int32_t z,
                 KernelFunction function, const Ellipsoid<Real>& ellipsoid);

}  // namespace skde

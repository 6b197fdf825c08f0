#pragma once

#include "core/kernel/kernel_function.hpp"
#include "kernels/tile/warp_tile_plan.hpp"

/// A lane computes the values of one kernel in its row of cells.
namespace skde::kernels {

/// The sums of a lane's cells. A few kernels at a time are added in Real. These partial sums are
/// folded into totals together with their rounding error (Knuth's two-sum), so that errors do not
/// grow with the number of kernels.
template <class Real>
struct LaneSums {
  Real part[kLaneCells] = {}, high[kLaneCells] = {}, low[kLaneCells] = {};

  __device__ void fold() {
#pragma unroll
    for (int k = 0; k < kLaneCells; ++k) {
      const Real sum = high[k] + part[k], added = sum - high[k];
      low[k] += (high[k] - (sum - added)) + (part[k] - added);
      high[k] = sum;
      part[k] = 0;
    }
  }
  __device__ double value(int k) const {
    return static_cast<double>(high[k]) + static_cast<double>(low[k]);
  }
};

/// In double the parts are the totals.
template <>
struct LaneSums<double> {
  double part[kLaneCells] = {};

  __device__ void fold() {}
  __device__ double value(int k) const { return part[k]; }
};

/// exp(-rate u^2) along a row: each value is the previous one times a factor, which itself shrinks
/// by `ratio` from cell to cell. It does not hold for kernels so thin that a value vanishes in the
/// middle of a row but matters at its ends.
template <class Real>
struct RowRecurrence {
  Real ratio = 0;
  bool holds = false;

  RowRecurrence() = default;
  /// `step` is the distance between cells in units of the kernel's half width; `half` is the
  /// largest half extent of a tile along u.
  __device__ RowRecurrence(Real rate, Real step, Real half)
      : ratio(exponential(-2 * rate * step * step)) {
    constexpr Real kSteps = kLaneCells / 2, kMostGrowth = 60;  // exp(60 - 87) vanishes in float
    holds = rate * step * kSteps * (2 * (1 + 2 * half) + kSteps * step) < kMostGrowth;
  }

  /// Accepts any argument; returns 0 on underflow.
  static __device__ float exponential(float x) { return __expf(x); }
  static __device__ double exponential(double x) { return exp(x); }
};

template <class Profile>
inline constexpr bool kIsExponential = requires(const Profile& profile) {
  profile.rate;
};

/// Adds a kernel to a row of cells. `u` is the distance of the first cell from it along x, in units
/// of the kernel's half width. `step` is the distance between cells, `rest` what the two other axes
/// contribute to q.
template <class Profile, class Real>
__device__ void add_row(Real (&part)[kLaneCells], Real u, Real step, Real rest, Real height,
                        const Profile& profile) {
  if constexpr (Profile::kDegree >= 0) {
    const Real room = Real(1) - rest;
#pragma unroll
    for (int k = 0; k < kLaneCells; ++k) {
      const Real at = fma(Real(k), step, u);
      part[k] = fma(height, profile.of_room(fma(-at, at, room)), part[k]);
    }
  } else {
#pragma unroll
    for (int k = 0; k < kLaneCells; ++k) {
      const Real at = fma(Real(k), step, u);
      part[k] = fma(height, profile.value(fma(at, at, rest)), part[k]);
    }
  }
}

/// Does the same as add_row by recurrence, from the middle to both ends, because rounding grows
/// with the square of the steps. It goes on beyond the cut: values there belong to the kernel.
template <class Profile, class Real>
__device__ void add_row_by_recurrence(Real (&part)[kLaneCells], Real u, Real step, Real rest,
                                      Real height, const Profile& profile, Real ratio) {
  constexpr int kMiddle = kLaneCells / 2;
  const Real rate = Real(profile.rate), middle = fma(Real(kMiddle), step, u);
  const Real slope = 2 * rate * step * middle, bend = rate * step * step;
  using Recurrence = RowRecurrence<Real>;
  const Real value = height * Recurrence::exponential(-rate * fma(middle, middle, rest));
  Real up = Recurrence::exponential(-(slope + bend)), down = Recurrence::exponential(slope - bend);
  Real at = value;
  part[kMiddle] += at;
#pragma unroll
  for (int k = kMiddle + 1; k < kLaneCells; ++k) {
    at *= up;
    up *= ratio;
    part[k] += at;
  }
  at = value;
#pragma unroll
  for (int k = kMiddle - 1; k >= 0; --k) {
    at *= down;
    down *= ratio;
    part[k] += at;
  }
}

}  // namespace skde::kernels

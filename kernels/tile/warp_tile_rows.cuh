#pragma once

#include <numbers>

#include "core/kernel/kernel_function.hpp"
#include "kernels/power_of_half.cuh"
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
  __device__ void scale(Real by) {
#pragma unroll
    for (int k = 0; k < kLaneCells; ++k) {
      high[k] *= by;
      low[k] *= by;
    }
  }
};

/// In double the parts are the totals.
template <>
struct LaneSums<double> {
  double part[kLaneCells] = {};

  __device__ void fold() {}
  __device__ double value(int k) const { return part[k]; }
};

template <class Profile>
inline constexpr bool kIsExponential = requires(const Profile& profile) {
  profile.rate;
};

/// Returns the radius of the ball in whose coordinates kernels are computed: 1, or such that an
/// exponential profile is 2^-(u^2).
template <class Real, class Profile>
__device__ Real ball_radius(const Profile& profile) {
  if constexpr (kIsExponential<Profile>)
    return Real(sqrt(profile.rate * std::numbers::log2e));
  else
    return Real(1);
}

/// 2^-(u^2) along a row: each value is the previous one times a factor, which itself shrinks by
/// `ratio` from cell to cell. It does not hold for kernels so thin that a value vanishes in the
/// middle of a row but matters at its ends.
template <class Real>
struct RowRecurrence {
  Real ratio = 0;
  bool holds = false;

  RowRecurrence() = default;
  /// `step` is the distance between cells, `half` the largest half extent of a tile along u, and
  /// `radius` that of the ball.
  __device__ RowRecurrence(Real step, Real half, Real radius)
      : ratio(power_of_half(2 * step * step)) {
    constexpr Real kSteps = kLaneCells / 2, kMostGrowth = 86;  // 2^(86 - 126) vanishes in float
    holds = step * kSteps * (2 * (radius + 2 * half) + kSteps * step) < kMostGrowth;
  }
};

/// Adds a kernel to a row of cells. `u` is the distance of the first cell from it along x in the
/// ball's coordinates, `step` the distance between cells, `rest` what the two other axes contribute
/// to q.
template <class Profile, class Real>
__device__ void add_row(Real (&part)[kLaneCells], Real u, Real step, Real rest, Real height,
                        const Profile& profile) {
  if constexpr (kIsExponential<Profile>) {
#pragma unroll
    for (int k = 0; k < kLaneCells; ++k) {
      const Real at = fma(Real(k), step, u);
      part[k] = fma(height, power_of_half(fma(at, at, rest)), part[k]);
    }
  } else if constexpr (Profile::kDegree >= 0) {
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

/// Does the same for an exponential profile by recurrence, from the middle to both ends, because
/// rounding grows with the square of the steps. It goes on beyond the cut: values there belong to
/// the kernel.
template <class Real>
__device__ void add_row_by_recurrence(Real (&part)[kLaneCells], Real u, Real step, Real rest,
                                      Real height, Real ratio) {
  constexpr int kMiddle = kLaneCells / 2;
  const Real middle = fma(Real(kMiddle), step, u), twice = 2 * middle;
  const Real value = height * power_of_half(fma(middle, middle, rest));
  Real up = power_of_half(step * (twice + step)), down = power_of_half(step * (step - twice));
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

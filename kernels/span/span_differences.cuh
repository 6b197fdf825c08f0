#pragma once

#include <type_traits>

#include "kernels/span/span_frame.cuh"
#include "kernels/span/span_polynomial.cuh"

/// The difference arrays of a tile, and the addition of a sample's spans to them.
namespace skde::kernels {

/// The difference arrays of a tile, laid out as [coefficient][cell][row]. The lanes of a warp own
/// the rows, so they never have bank conflicts.
template <int Degree, class Word, int Width>
struct Differences {
  Word value[Degree + 1][Width + 1][kTileRows];  // the last cell takes the ends behind the tile
};

template <class Word>
__device__ void add_shared(Word* to, Word value) {
  using Unsigned = std::make_unsigned_t<Word>;
  atomicAdd(reinterpret_cast<Unsigned*>(to), static_cast<Unsigned>(value));
}

/// 1.5 * 2^23. Added to a float below 2^22, it leaves that float as an integer in the low bits of
/// the sum, rounded in the mode of the addition.
inline constexpr float kRounding = 12582912.0f;
inline constexpr int kRoundingBits = 0x4b400000;

__device__ inline float fast_root(float x) {
  float result;
  asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}

/// add_span for 32-bit words: the engine's innermost loop, without branches. Ends before the tile
/// are clamped to its first cell, ends behind it to the unused cell Width. Rows that miss the
/// kernel end up there too: their root is NaN, whose bits exceed every index. `ends` points to the
/// row's first cell in the first plane.
template <int P, int Width, int Planes>
__device__ __forceinline__ void add_short_span(const SpanFrame<float>& s,
                                               const SpanFrame<float>& row, float sx_squared,
                                               const PlaneUnits<float, Planes>& units, int* ends) {
  constexpr int D = kDegree<P>, kStride = (Width + 1) * kTileRows;
  const float v1 = row.v1 - s.v1, v2 = row.v2 - s.v2;
  const float half_squared = fmaf(-v2, v2, fmaf(-v1, v1, sx_squared));
  const float half = fast_root(half_squared), centre = row.x + s.x;
  const int first = __float_as_int(__fadd_ru(centre - half, kRounding));
  const int last = __float_as_int(__fadd_rd(centre + half, kRounding));
  const float shifted = centre + kRounding;
  const int cell = __float_as_int(shifted) - kRoundingBits;
  const float mu = centre - (shifted - kRounding);
  constexpr int kBegin = kRoundingBits - Width / 2, kEnd = kRoundingBits + Width / 2;
  int* left = ends + (min(max(first, kBegin), kEnd) - kBegin) * kTileRows;
  int* right = ends + (min(max(last, kBegin - 1), kEnd - 1) + 1 - kBegin) * kTileRows;
#pragma unroll
  for (int plane = 0; plane < Planes; ++plane) {
    const float one = units.of[plane];
    int a[D + 1];
    a[D] = D == 0 ? SpanWord<float>::round(one) : -SpanWord<float>::round(one);
    if constexpr (D == 2) {
      a[0] = SpanWord<float>::round(one * fmaf(-mu, mu, half_squared));
      a[1] = SpanWord<float>::round((one + one) * mu);
      shift_origin<D, int>(a, cell);
    }
#pragma unroll
    for (int n = 0; n <= D; ++n) atomicAdd(left + n * kStride, a[n]);
#pragma unroll
    for (int n = 0; n <= D; ++n) atomicAdd(right + n * kStride, -a[n]);
    left += (D + 1) * kStride;
    right += (D + 1) * kStride;
  }
}

/// Adds a sample's span to the lane's row: its ends where they lie in the tile, and to `base` if it
/// begins before the tile.
template <int P, int Width>
__device__ __forceinline__ void add_span(const SpanFrame<double>& s, const SpanFrame<double>& row,
                                         double sx_squared, int lane,
                                         Differences<kDegree<P>, long long, Width>& diff,
                                         long long (&base)[kDegree<P> + 1]) {
  constexpr int D = kDegree<P>;
  const double v1 = row.v1 - s.v1, v2 = row.v2 - s.v2;
  const double half_squared = sx_squared - v1 * v1 - v2 * v2;
  if (!(half_squared > 0)) return;
  const double half = sqrt(half_squared), centre = row.x + s.x;
  // The ends as integers, clamped if they lie far beyond the tile.
  const int left = static_cast<int>(fmin(ceil(centre - half), double(Width))) + Width / 2;
  const int right = static_cast<int>(fmin(floor(centre + half), double(Width))) + 1 + Width / 2;
  if (left >= right || left >= Width || right <= 0) return;
  const double whole = rint(centre), mu = centre - whole;
  long long a[D + 1];
  round_coefficients<P, double, long long>(s.unit, half_squared, mu, a);
  shift_origin<D, long long>(a, static_cast<long long>(whole));
  if (left > 0) {
#pragma unroll
    for (int n = 0; n <= D; ++n) add_shared(&diff.value[n][left][lane], a[n]);
  } else {
#pragma unroll
    for (int n = 0; n <= D; ++n) base[n] += a[n];
  }
  if (right < Width) {
#pragma unroll
    for (int n = 0; n <= D; ++n) add_shared(&diff.value[n][right][lane], -a[n]);
  }
}

}  // namespace skde::kernels

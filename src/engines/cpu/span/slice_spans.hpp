#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/kernel/ellipsoid.hpp"
#include "engines/cpu/z_order.hpp"

namespace skde {

/// The rows of one sample in one slice: their columns [first, end), the centre relative to the
/// sample's cell, the bound that u0^2 must stay below, and the distance of column `first` from the
/// centre. They are found kTogether at a time, which is whole vectors.
template <class Real>
struct SliceSpans {
  static constexpr std::int32_t kTogether = 16;
  std::vector<Real> centre, radius_squared, start;
  std::vector<std::int32_t> first, end;

  static double bytes(std::int32_t ny) {
    return (static_cast<double>(ny) + kTogether) * (3 * sizeof(Real) + 2 * sizeof(std::int32_t));
  }

  explicit SliceSpans(std::int32_t ny)
      : centre(static_cast<std::size_t>(ny) + kTogether),
        radius_squared(centre.size()),
        start(centre.size()),
        first(centre.size()),
        end(centre.size()) {}
};

/// Returns the rows that the sample's kernel may meet in the slice `dz` above it; empty if the
/// kernel does not reach that slice.
template <class Real>
[[gnu::always_inline]] inline IndexRange rows_of(const SliceSample<Real>& s,
                                                 const Ellipsoid<Real>& e, Real dz,
                                                 std::int32_t ny) {
  const Real u2 = dz * e.inv_sz, rest = Real(1) - u2 * u2;
  if (!(rest > Real(0))) return {};
  return cells_within(s.offset[1] + e.bzy * dz, std::sqrt(rest) * e.sy, ny, s.cell[1]);
}

/// Finds the ends of the sample's rows in the slice, in a branch-free loop that the compiler
/// vectorises. Inlined, so that it is compiled for its caller's instructions. Columns are counted
/// in `Count`.
template <class Count, class Real>
[[gnu::always_inline]] inline void find_spans_by(const SliceSample<Real>& s,
                                                 const Ellipsoid<Real>& e, Real dz, IndexRange y,
                                                 std::int32_t nx, SliceSpans<Real>& spans) {
  constexpr std::int32_t kTogether = SliceSpans<Real>::kTogether;
  const auto cell = static_cast<Count>(s.cell[0]), columns = static_cast<Count>(nx);
  const Real offset = s.offset[0], sx = e.sx, inv_sy = e.inv_sy, bxy = e.bxy;
  const Real u2 = dz * e.inv_sz, rest = Real(1) - u2 * u2;
  const Real first_dy = cells_from(s.cell[1], s.offset[1], y.begin);
  const Real y_middle = e.bzy * dz, x_middle = e.bxz * dz;
  for (std::int32_t from = 0; from < y.size(); from += kTogether) {
    Real* const centre = spans.centre.data() + from;
    Real* const radius_squared = spans.radius_squared.data() + from;
    Real* const start = spans.start.data() + from;
    std::int32_t* const first = spans.first.data() + from;
    std::int32_t* const end = spans.end.data() + from;
#pragma GCC ivdep
    for (std::int32_t k = 0; k < kTogether; ++k) {
      const Real dy = first_dy + static_cast<Real>(from + k);
      const Real u1 = (dy - y_middle) * inv_sy;
      const Real r2 = std::max(rest - u1 * u1, Real(0));
      const Real half = sx * std::sqrt(r2);
      const Real middle = offset + (bxy * dy + x_middle);
      centre[k] = middle;
      radius_squared[k] = r2;
      const Count left = cell + static_cast<Count>(std::ceil(middle - half));
      const Count right = cell + static_cast<Count>(std::floor(middle + half)) + Count(1);
      const Count begin = std::min(std::max(left, Count(0)), columns);
      start[k] = static_cast<Real>(begin - cell) - middle;
      first[k] = static_cast<std::int32_t>(begin);
      end[k] = static_cast<std::int32_t>(std::min(std::max(right, Count(0)), columns));
    }
  }
}

/// Calls find_spans_by() with a suitable `Count`: for kernels far wider than the grid, samples may
/// be more cells away than float can count.
template <class Real>
[[gnu::always_inline]] inline void find_spans(const SliceSample<Real>& s, const Ellipsoid<Real>& e,
                                              Real dz, IndexRange y, std::int32_t nx,
                                              SliceSpans<Real>& spans) {
  constexpr Real kCounted = 0x1p22F;  // the sum of two of these is exact in float
  const bool near = std::abs(static_cast<Real>(s.cell[0])) + static_cast<Real>(nx) < kCounted &&
                    2 * e.rx < kCounted;
  if (near)
    find_spans_by<Real>(s, e, dz, y, nx, spans);
  else
    find_spans_by<double>(s, e, dz, y, nx, spans);
}

}  // namespace skde

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/ellipsoid.hpp"
#include "engines/cpu/z_order.hpp"

namespace skde {

/// The rows of one sample in one slice: their columns [first, end), the centre relative to the
/// sample's cell, and what u0^2 must stay below.
template <class Real>
struct SliceSpans {
  std::vector<Real> centre, radius_squared;
  std::vector<std::int32_t> first, end;

  static constexpr double kRowBytes = 2 * sizeof(Real) + 2 * sizeof(std::int32_t);

  explicit SliceSpans(std::int32_t ny)
      : centre(static_cast<std::size_t>(ny)),
        radius_squared(centre.size()),
        first(centre.size()),
        end(centre.size()) {}
};

/// The rows that the sample's kernel may meet in the slice `dz` above it; empty where it ends
/// below.
template <class Real>
[[gnu::always_inline]] inline IndexRange rows_of(const SliceSample<Real>& s,
                                                 const Ellipsoid<Real>& e, Real dz,
                                                 std::int32_t ny) {
  const Real u2 = dz * e.inv_sz, rest = Real(1) - u2 * u2;
  if (!(rest > Real(0))) return {};
  return cells_within(s.offset[1] + e.bzy * dz, std::sqrt(rest) * e.sy, ny, s.cell[1]);
}

/// Ends of the sample's rows in the slice: a loop without branches, which the compiler turns into
/// vectors. Inlined, so that it is compiled for the instructions of its caller.
template <class Real>
[[gnu::always_inline]] inline void find_spans(const SliceSample<Real>& s, const Ellipsoid<Real>& e,
                                              Real dz, IndexRange y, std::int32_t nx,
                                              SliceSpans<Real>& spans) {
  // The largest number of cells that float and int32 both hold. What rounding such numbers does to
  // the ends is mended by the comparison with the row's own ends.
  constexpr Real kFar = 2147483392;
  const std::int32_t count = y.size(), cell = s.cell[0];
  const Real u2 = dz * e.inv_sz, rest = Real(1) - u2 * u2;
  const Real first_dy = static_cast<Real>(std::int64_t{y.begin} - s.cell[1]) - s.offset[1];
  const Real low = std::clamp(-static_cast<Real>(cell), -kFar, kFar);
  const Real high = std::clamp(static_cast<Real>(std::int64_t{nx} - cell), -kFar, kFar);
  Real* const centre = spans.centre.data();
  Real* const radius_squared = spans.radius_squared.data();
  std::int32_t* const first = spans.first.data();
  std::int32_t* const end = spans.end.data();
  for (std::int32_t k = 0; k < count; ++k) {
    const Real dy = first_dy + static_cast<Real>(k);
    const Real u1 = (dy - e.bzy * dz) * e.inv_sy;
    const Real r2 = std::max(rest - u1 * u1, Real(0));
    const Real half = e.sx * std::sqrt(r2);
    const Real middle = s.offset[0] + (e.bxy * dy + e.bxz * dz);
    centre[k] = middle;
    radius_squared[k] = r2;
    const Real left = std::min(std::max(std::ceil(middle - half), low), high);
    const Real right = std::min(std::max(std::floor(middle + half) + Real(1), low), high);
    first[k] = std::max(static_cast<std::int32_t>(left) + cell, 0);
    end[k] = std::min(static_cast<std::int32_t>(right) + cell, nx);
  }
}

}  // namespace skde

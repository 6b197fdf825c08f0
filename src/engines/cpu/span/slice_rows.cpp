#include "engines/cpu/span/slice_rows.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "engines/cpu/vector_instructions.hpp"

namespace skde {
namespace {

template <class Real>
using Vector [[gnu::vector_size(64)]] = Real;

/// Adds the weight times the profile to a vector of cells; `rest` is 1 - q. Vectors are passed by
/// reference: how they are passed by value depends on the instructions that a function is compiled
/// for.
template <int P, class Real>
[[gnu::always_inline]] inline void add_profile(Vector<Real>& cells, const Vector<Real>& rest,
                                               Real weight) {
  const Vector<Real> zero{};
  const Vector<Real> s = rest > zero ? rest : zero;
  if constexpr (P == 0) cells += rest > zero ? zero + weight : zero;
  if constexpr (P == 1) cells += s * weight;
  if constexpr (P == 2) cells += s * s * weight;
  if constexpr (P == 3) cells += s * s * (s * weight);
}

/// `steps` holds the distance of each lane from the first, in units of sx.
template <int P, class Real>
[[gnu::always_inline]] inline void add_rows(SliceRows<Real>& rows, const SliceSpans<Real>& spans,
                                            IndexRange y, Real weight, Real inv_sx,
                                            const Vector<Real>& steps) {
  constexpr int kLanes = SliceRows<Real>::kLanes;
  // Local copies, which no cell can alias.
  const Real *const starts = spans.start.data(), *const squares = spans.radius_squared.data();
  const std::int32_t *const firsts = spans.first.data(), *const ends = spans.end.data();
  const std::ptrdiff_t stride = rows.row(1) - rows.row(0);
  Real* row = rows.row(y.begin);
  for (std::int32_t k = 0; k < y.size(); ++k, row += stride) {
    const std::int32_t end = ends[k];
    const Real radius_squared = squares[k];
    Real distance = starts[k];
    for (std::int32_t x = firsts[k]; x < end; x += kLanes, distance += kLanes) {
      const Vector<Real> u0 = steps + distance * inv_sx;
      Vector<Real> cells;
      std::memcpy(&cells, row + x, sizeof cells);
      add_profile<P, Real>(cells, radius_squared - u0 * u0, weight);
      std::memcpy(row + x, &cells, sizeof cells);
    }
  }
}

template <int P, class Real>
[[gnu::always_inline]] inline void add_samples_inline(SliceRows<Real>& rows,
                                                      std::span<const SliceSample<Real>> samples,
                                                      std::int32_t z, const Ellipsoid<Real>& e) {
  Vector<Real> steps;
  for (int lane = 0; lane < SliceRows<Real>::kLanes; ++lane)
    steps[lane] = static_cast<Real>(lane) * e.inv_sx;
  // The spans of several samples are found before their cells are added to: the latencies overlap,
  // and no mispredicted end of a row holds them up.
  constexpr std::size_t kAhead = SliceRows<Real>::kAhead;
  std::array<IndexRange, kAhead> found;
  std::array<Real, kAhead> weights;
  std::size_t count = 0;
  for (std::size_t i = 0; i <= samples.size(); ++i) {
    if (count == kAhead || i == samples.size()) {
      for (std::size_t k = 0; k < count; ++k)
        add_rows<P, Real>(rows, rows.spans(k), found[k], weights[k], e.inv_sx, steps);
      count = 0;
      if (i == samples.size()) break;
    }
    const SliceSample<Real>& s = samples[i];
    const Real dz = cells_from(s.cell[2], s.offset[2], z);
    const IndexRange y = rows_of(s, e, dz, rows.ny());
    if (y.empty()) continue;
    find_spans(s, e, dz, y, rows.nx(), rows.spans(count));
    found[count] = y;
    weights[count++] = s.weight;
  }
}

// NOLINTBEGIN(bugprone-macro-parentheses): an attribute cannot stand in parentheses
#define SKDE_ADD_SAMPLES(NAME, TARGET)                                                \
  template <int P, class Real>                                                        \
  TARGET void NAME(SliceRows<Real>& rows, std::span<const SliceSample<Real>> samples, \
                   std::int32_t z, const Ellipsoid<Real>& e) {                        \
    add_samples_inline<P, Real>(rows, samples, z, e);                                 \
  }
// NOLINTEND(bugprone-macro-parentheses)
#if defined(__x86_64__)
SKDE_ADD_SAMPLES(add_samples_avx512, SKDE_AVX512)
SKDE_ADD_SAMPLES(add_samples_avx2, SKDE_AVX2)
#endif
SKDE_ADD_SAMPLES(add_samples_any, )
#undef SKDE_ADD_SAMPLES

}  // namespace

template <class Real>
SliceRows<Real>::SliceRows(std::int32_t nx, std::int32_t ny)
    : nx_(nx),
      ny_(ny),
      stride_(std::int64_t{nx} + kLanes),
      cells_(static_cast<std::size_t>(stride_ * ny)),
      spans_(kAhead, SliceSpans<Real>(ny)) {}

template <class Real>
template <class Sum>
void SliceRows<Real>::move_to(Sum* slice) {
  for (std::int32_t y = 0; y < ny_; ++y) {
    Real* const from = row(y);
    Sum* const to = slice + std::int64_t{y} * nx_;
    for (std::int32_t x = 0; x < nx_; ++x) to[x] += static_cast<Sum>(from[x]);
    std::fill_n(from, stride_, Real(0));
  }
}

template <class Real>
void add_samples(SliceRows<Real>& rows, std::span<const SliceSample<Real>> samples, std::int32_t z,
                 KernelFunction function, const Ellipsoid<Real>& ellipsoid) {
  with_degree(function, [&]<int P>() {
#if defined(__x86_64__)
    const VectorInstructions best = vector_instructions();
    if (best == VectorInstructions::avx512)
      return add_samples_avx512<P, Real>(rows, samples, z, ellipsoid);
    if (best == VectorInstructions::avx2)
      return add_samples_avx2<P, Real>(rows, samples, z, ellipsoid);
#endif
    add_samples_any<P, Real>(rows, samples, z, ellipsoid);
  });
}

template class SliceRows<float>;
template class SliceRows<double>;
template void SliceRows<float>::move_to(float*);
template void SliceRows<float>::move_to(double*);
template void SliceRows<double>::move_to(double*);
template void add_samples<float>(SliceRows<float>&, std::span<const SliceSample<float>>,
                                 std::int32_t, KernelFunction, const Ellipsoid<float>&);
template void add_samples<double>(SliceRows<double>&, std::span<const SliceSample<double>>,
                                  std::int32_t, KernelFunction, const Ellipsoid<double>&);

}  // namespace skde

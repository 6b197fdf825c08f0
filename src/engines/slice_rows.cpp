#include "engines/slice_rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace skde {
namespace {

template <class Real>
using Vector [[gnu::vector_size(64)]] = Real;

/// 0, 1, 2, ...
template <class Real>
[[gnu::always_inline]] inline Vector<Real> lane_numbers() {
  Vector<Real> lanes;
  for (int k = 0; k < SliceRows<Real>::kLanes; ++k) lanes[k] = static_cast<Real>(k);
  return lanes;
}

/// Ends of the sample's rows [begin, begin + count) in the slice: a loop without branches, which
/// the compiler turns into vectors.
template <class Real>
[[gnu::always_inline]] inline void find_spans(const SliceSample<Real>& s, const Ellipsoid<Real>& e,
                                              Real dz, IndexRange y, std::int32_t nx,
                                              typename SliceRows<Real>::Spans& spans) {
  const std::int32_t count = y.size();
  const Real u2 = dz * e.inv_sz, rest = Real(1) - u2 * u2, sx_squared = e.sx * e.sx;
  const Real first_dy = static_cast<Real>(y.begin - s.cell[1]) - s.offset[1];
  const Real low = static_cast<Real>(-s.cell[0]), high = static_cast<Real>(nx - 1 - s.cell[0]);
  Real* const centre = spans.centre.data();
  Real* const half_squared = spans.half_squared.data();
  std::int32_t* const first = spans.first.data();
  std::int32_t* const last = spans.last.data();
  for (std::int32_t k = 0; k < count; ++k) {
    const Real dy = first_dy + static_cast<Real>(k);
    const Real u1 = (dy - e.bzy * dz) * e.inv_sy;
    const Real r2 = std::max(rest - u1 * u1, Real(0));
    const Real half = e.sx * std::sqrt(r2);
    const Real middle = s.offset[0] + (e.bxy * dy + e.bxz * dz);
    centre[k] = middle;
    half_squared[k] = sx_squared * r2;
    first[k] = static_cast<std::int32_t>(std::max(std::ceil(middle - half), low));
    last[k] = static_cast<std::int32_t>(std::min(std::floor(middle + half), high));
  }
}

/// profile((half^2 - d^2) / sx^2) of a vector of cells at distances d, times the weight.
template <KernelFunction F, class Real>
[[gnu::always_inline]] inline Vector<Real> profile(Vector<Real> rest, Real scale) {
  const Vector<Real> zero{};
  const Vector<Real> s = rest > zero ? rest : zero;
  if constexpr (F == KernelFunction::uniform) return rest > zero ? zero + scale : zero;
  if constexpr (F == KernelFunction::epanechnikov) return s * scale;
  if constexpr (F == KernelFunction::biweight) return s * s * scale;
  return s * s * (s * scale);
}

/// weight / sx^2p: what the profile of half^2 - d^2 is scaled by.
template <KernelFunction F, class Real>
[[gnu::always_inline]] inline Real profile_scale(Real weight, const Ellipsoid<Real>& e) {
  Real scale = weight;
  for (int p = 0; p < static_cast<int>(F); ++p) scale *= e.inv_sx * e.inv_sx;
  return scale;
}

template <KernelFunction F, class Real>
[[gnu::always_inline]] inline void add_rows(SliceRows<Real>& rows, const SliceSample<Real>& s,
                                            IndexRange y, Real scale, Vector<Real> lanes) {
  constexpr int kLanes = SliceRows<Real>::kLanes;
  const auto& spans = rows.spans();
  for (std::int32_t k = 0; k < y.size(); ++k) {
    const std::int32_t last = spans.last[static_cast<std::size_t>(k)];
    Real* const row = rows.row(y.begin + k) + s.cell[0];
    const Real centre = spans.centre[static_cast<std::size_t>(k)];
    const Real half_squared = spans.half_squared[static_cast<std::size_t>(k)];
    for (std::int32_t x = spans.first[static_cast<std::size_t>(k)]; x <= last; x += kLanes) {
      const Vector<Real> d = lanes + (static_cast<Real>(x) - centre);
      Vector<Real> cells;
      std::memcpy(&cells, row + x, sizeof cells);
      cells += profile<F, Real>(half_squared - d * d, scale);
      std::memcpy(row + x, &cells, sizeof cells);
    }
  }
}

template <KernelFunction F, class Real>
[[gnu::always_inline]] inline void add_samples_inline(SliceRows<Real>& rows,
                                                      std::span<const SliceSample<Real>> samples,
                                                      std::int32_t z, const Ellipsoid<Real>& e) {
  const Vector<Real> lanes = lane_numbers<Real>();
  for (const SliceSample<Real>& s : samples) {
    const Real dz = static_cast<Real>(z - s.cell[2]) - s.offset[2];
    const Real u2 = dz * e.inv_sz, rest = Real(1) - u2 * u2;
    if (!(rest > Real(0))) continue;
    const IndexRange y =
        cells_within(s.offset[1] + e.bzy * dz, std::sqrt(rest) * e.sy, rows.ny(), s.cell[1]);
    if (y.empty()) continue;
    find_spans(s, e, dz, y, rows.nx(), rows.spans());
    add_rows<F, Real>(rows, s, y, profile_scale<F, Real>(s.weight, e), lanes);
  }
}

#define SKDE_ADD_SAMPLES(NAME, TARGET)                                                \
  template <KernelFunction F, class Real>                                             \
  TARGET void NAME(SliceRows<Real>& rows, std::span<const SliceSample<Real>> samples, \
                   std::int32_t z, const Ellipsoid<Real>& e) {                        \
    add_samples_inline<F, Real>(rows, samples, z, e);                                 \
  }
#if defined(__x86_64__)
SKDE_ADD_SAMPLES(add_samples_avx512, [[gnu::target("avx512f,avx512dq,avx512vl,avx2,fma")]])
SKDE_ADD_SAMPLES(add_samples_avx2, [[gnu::target("avx2,fma")]])
#endif
SKDE_ADD_SAMPLES(add_samples_any, )
#undef SKDE_ADD_SAMPLES

enum class Instructions { any, avx2, avx512 };

Instructions detect() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    return Instructions::avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return Instructions::avx2;
#endif
  return Instructions::any;
}

const Instructions kInstructions = detect();

}  // namespace

template <class Real>
SliceRows<Real>::SliceRows(std::int32_t nx, std::int32_t ny)
    : nx_(nx),
      ny_(ny),
      stride_(std::int64_t{nx} + kLanes),
      cells_(static_cast<std::size_t>(stride_ * ny)) {
  const auto rows = static_cast<std::size_t>(ny);
  spans_.centre.resize(rows);
  spans_.half_squared.resize(rows);
  spans_.first.resize(rows);
  spans_.last.resize(rows);
}

template <class Real>
void SliceRows<Real>::clear() {
  std::fill(cells_.begin(), cells_.end(), Real(0));
}

template <class Real>
void SliceRows<Real>::add_to(Real* slice) const {
  for (std::int32_t y = 0; y < ny_; ++y) {
    const Real* const from = cells_.data() + std::int64_t{y} * stride_;
    Real* const to = slice + std::int64_t{y} * nx_;
    for (std::int32_t x = 0; x < nx_; ++x) to[x] += from[x];
  }
}

template <class Real>
void add_samples(SliceRows<Real>& rows, std::span<const SliceSample<Real>> samples, std::int32_t z,
                 KernelFunction function, const Ellipsoid<Real>& ellipsoid) {
  with_kernel(function, [&]<KernelFunction F>() {
#if defined(__x86_64__)
    if (kInstructions == Instructions::avx512)
      return add_samples_avx512<F, Real>(rows, samples, z, ellipsoid);
    if (kInstructions == Instructions::avx2)
      return add_samples_avx2<F, Real>(rows, samples, z, ellipsoid);
#endif
    add_samples_any<F, Real>(rows, samples, z, ellipsoid);
  });
}

const char* slice_rows_instructions() {
  switch (kInstructions) {
    case Instructions::avx512:
      return "AVX-512";
    case Instructions::avx2:
      return "AVX2";
    case Instructions::any:
      break;
  }
  return "SSE2";
}

template class SliceRows<float>;
template class SliceRows<double>;
template void add_samples<float>(SliceRows<float>&, std::span<const SliceSample<float>>,
                                 std::int32_t, KernelFunction, const Ellipsoid<float>&);
template void add_samples<double>(SliceRows<double>&, std::span<const SliceSample<double>>,
                                  std::int32_t, KernelFunction, const Ellipsoid<double>&);

}  // namespace skde

#include "engines/cpu/tile/tile_sums.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "engines/cpu/tile/gaussian_strips.hpp"
#include "engines/cpu/tile/mean_rows.hpp"
#include "engines/cpu/vector_instructions.hpp"

namespace skde {
namespace {

/// Rows of one kernel in a tile: the columns [first, end) that it covers, its middle relative to
/// the sample's cell, and outer = u1^2 + u2^2.
template <class Real>
struct KernelRows {
  static constexpr std::int32_t kMost = TileSums<Real>::kRows;
  alignas(64) std::array<Real, kMost> middle, outer;
  alignas(64) std::array<std::int32_t, kMost> first, end;
};

/// Finds rows in a branch-free loop, as many as a vector of floats has lanes: 2^shift rows of slice
/// `z`, and as many of each slice above it. Rows past a slice's last one cost nothing and are
/// ignored. Columns are counted in `Count`.
template <class Count, class Real>
[[gnu::always_inline]] inline void find_rows_by(KernelRows<Real>& rows, const TileSample<Real>& s,
                                                const Ellipsoid<Real>& e, std::int32_t first_row,
                                                std::int32_t z, int shift, std::int32_t columns) {
  const auto cell = static_cast<Count>(s.cell[0]), most = static_cast<Count>(columns);
  const std::int32_t last_of_slice = (1 << shift) - 1;
  const Real first_dz = s.distance(z, 2), first_dy = s.distance(first_row, 1);
  for (std::int32_t k = 0; k < rows.kMost; ++k) {
    const Real dz = first_dz + static_cast<Real>(k >> shift);
    const Real dy = first_dy + static_cast<Real>(k & last_of_slice);
    const Real u2 = dz * e.inv_sz;
    const Real u1 = (dy - e.bzy * dz) * e.inv_sy;
    const Real outer = u1 * u1 + u2 * u2;
    const Real half = e.sx * std::sqrt(std::max(Real(1) - outer, Real(0)));
    const Real middle = s.offset[0] + (e.bxy * dy + e.bxz * dz);
    const auto row = static_cast<std::size_t>(k);
    rows.middle[row] = middle;
    rows.outer[row] = outer;
    const Count left = cell + static_cast<Count>(std::ceil(middle - half));
    const Count right = cell + static_cast<Count>(std::floor(middle + half)) + Count(1);
    rows.first[row] = static_cast<std::int32_t>(std::min(std::max(left, Count(0)), most));
    rows.end[row] = static_cast<std::int32_t>(std::min(std::max(right, Count(0)), most));
  }
}

/// Calls find_rows_by() with a suitable `Count`: for kernels far wider than the tile, samples may
/// be more cells away than float can count.
template <class Real>
[[gnu::always_inline]] inline void find_rows(KernelRows<Real>& rows, const TileSample<Real>& s,
                                             const Ellipsoid<Real>& e, std::int32_t first_row,
                                             std::int32_t z, int shift, std::int32_t columns) {
  constexpr Real kCounted = 0x1p22F;  // the sum of two of these is exact in float
  if (std::abs(static_cast<Real>(s.cell[0])) < kCounted && 2 * e.rx < kCounted)
    find_rows_by<Real>(rows, s, e, first_row, z, shift, columns);
  else
    find_rows_by<double>(rows, s, e, first_row, z, shift, columns);
}

template <class Real, class Profile>
[[gnu::always_inline]] inline void add_row(Real* row, const Profile& profile,
                                           const KernelRows<Real>& rows, std::size_t k,
                                           const TileSample<Real>& s, Real inv_sx) {
  constexpr int kLanes = TileSums<Real>::kLanes;
  const Real middle = rows.middle[k], outer = rows.outer[k], weight = s.weight;
  const std::int32_t end = rows.end[k];
  for (std::int32_t x = rows.first[k]; x < end; x += kLanes) {
    const Real start = static_cast<Real>(std::int64_t{x} - s.cell[0]) - middle;
    Real* const cells = row + x;
#pragma GCC ivdep
    for (int lane = 0; lane < kLanes; ++lane) {
      const Real u0 = (start + static_cast<Real>(lane)) * inv_sx;
      cells[lane] += weight * profile.value(outer + u0 * u0);
    }
  }
}

template <class Real, class Profile>
[[gnu::always_inline]] inline void add_sample(TileSums<Real>& tile, const Profile& profile,
                                              KernelRows<Real>& rows, const TileSample<Real>& s,
                                              const Ellipsoid<Real>& e) {
  const IndexRange x = cells_within(s.offset[0], e.rx, tile.columns(), s.cell[0]);
  const IndexRange y = cells_within(s.offset[1], e.ry, tile.rows(), s.cell[1]);
  const IndexRange slices = chop(e, s.offset[2], tile.slices(), s.cell[2]);
  if (x.empty() || y.empty()) return;
  constexpr std::int32_t kFewRows = sizeof(Real) == sizeof(float) ? 1 : 8;
  if constexpr (requires { profile.rate; })
    if (y.size() >= kFewRows &&
        GaussianStrips<Real>(static_cast<Real>(profile.rate), s, e).add(tile, x, y, slices))
      return;
  // For kernels with few rows, the rows of several slices are found at once.
  const int shift = y.size() > 8 ? 4 : y.size() > 4 ? 3 : 2;
  const std::int32_t at_once = KernelRows<Real>::kMost >> shift;
  for (std::int32_t first = slices.begin; first < slices.end; first += at_once) {
    find_rows(rows, s, e, y.begin, first, shift, tile.columns());
    for (std::int32_t z = first; z < std::min(first + at_once, slices.end); ++z) {
      for (std::int32_t k = 0; k < y.size(); ++k) {
        const std::size_t row =
            (static_cast<std::size_t>(z - first) << shift) + static_cast<std::size_t>(k);
        if (rows.first[row] >= rows.end[row]) continue;
        add_row(tile.row(y.begin + k, z), profile, rows, row, s, e.inv_sx);
      }
      tile.count(z);
    }
  }
}

/// True if the kernel's bounding box may meet the tile: a test without a jump, as most samples of
/// mixed widths miss. The margins are for rounding, and for cells that take means.
template <class Real>
[[gnu::always_inline]] inline bool may_meet(const CellBox& tile, const SliceSample<Real>& s,
                                            const Ellipsoid<Real>& e) {
  const Real reach[3] = {e.rx, e.ry, e.sz};
  bool meets = true;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const IndexRange& cells = tile.axes[axis];
    const Real half = Real(0.5) * static_cast<Real>(cells.size()) + reach[axis];
    const Real apart = static_cast<Real>(2 * std::int64_t{s.cell[axis]} - cells.begin - cells.end) +
                       2 * s.offset[axis];
    meets &= Real(0.5) * std::abs(apart) <= Real(1.0001) * half + 2;
  }
  return meets;
}

template <class Real, class Profile>
[[gnu::always_inline]] inline void add_samples(TileSums<Real>& tile, const Profile& given,
                                               std::span<const SliceSample<Real>> samples,
                                               const Ellipsoid<Real>* ellipsoids,
                                               const Ellipsoid<Real>& common,
                                               const CellNodes<Real>* nodes) {
  const Profile profile = given;  // a local copy, which cannot alias a cell
  KernelRows<Real> rows;
  std::optional<MeanRows<Real>> means;
  if (nodes) means.emplace(*nodes);
  std::array<std::size_t, 256> chosen;
  for (std::size_t first = 0; first < samples.size(); first += chosen.size()) {
    std::size_t count = 0;
    for (std::size_t i = first; i < std::min(first + chosen.size(), samples.size()); ++i) {
      chosen[count] = i;
      count += may_meet(tile.box(), samples[i], ellipsoids ? ellipsoids[i] : common) ? 1 : 0;
    }
    for (const std::size_t i : std::span(chosen).first(count)) {
      const TileSample<Real> sample(samples[i], tile.box());
      const Ellipsoid<Real>& e = ellipsoids ? ellipsoids[i] : common;
      if (nodes)
        means->add(tile, profile, sample, e);
      else
        add_sample(tile, profile, rows, sample, e);
    }
  }
}

// NOLINTBEGIN(bugprone-macro-parentheses): an attribute cannot stand in parentheses
#define SKDE_ADD_TO_TILE(NAME, TARGET)                                                             \
  template <class Real, class Profile>                                                             \
  TARGET [[gnu::flatten]] void NAME(TileSums<Real>& tile, const Profile& profile,                  \
                                    std::span<const SliceSample<Real>> samples,                    \
                                    const Ellipsoid<Real>* ellipsoids,                             \
                                    const Ellipsoid<Real>& common, const CellNodes<Real>* nodes) { \
    add_samples(tile, profile, samples, ellipsoids, common, nodes);                                \
  }
// NOLINTEND(bugprone-macro-parentheses)
#if defined(__x86_64__)
SKDE_ADD_TO_TILE(add_to_tile_avx512, SKDE_AVX512)
SKDE_ADD_TO_TILE(add_to_tile_avx2, SKDE_AVX2)
#endif
SKDE_ADD_TO_TILE(add_to_tile_any, )
#undef SKDE_ADD_TO_TILE

}  // namespace

template <class Real>
TileSums<Real>::TileSums()
    : cells_((std::size_t{kRows} * kSlices + 1) * kStride),  // a row past the last one
      sums_(std::size_t{kRows} * kSlices * kStride) {}

template <class Real>
double TileSums<Real>::bytes() {
  return static_cast<double>(kRows * kSlices * kStride * (sizeof(Real) + sizeof(double)) +
                             kStride * sizeof(Real) + sizeof(TileSums));
}

template <class Real>
void TileSums<Real>::begin(const CellBox& box) {
  box_ = box;
  kernels_.fill(0);
  summed_.fill(false);
}

template <class Real>
void TileSums<Real>::add(std::span<const SliceSample<Real>> samples,
                         const Ellipsoid<Real>* ellipsoids, const Ellipsoid<Real>& common,
                         const Kernel& kernel, const CellNodes<Real>* nodes) {
  with_profile(kernel, [&](const auto& profile) {
#if defined(__x86_64__)
    const VectorInstructions best = vector_instructions();
    if (best == VectorInstructions::avx512)
      return add_to_tile_avx512(*this, profile, samples, ellipsoids, common, nodes);
    if (best == VectorInstructions::avx2)
      return add_to_tile_avx2(*this, profile, samples, ellipsoids, common, nodes);
#endif
    add_to_tile_any(*this, profile, samples, ellipsoids, common, nodes);
  });
}

template <class Real>
void TileSums<Real>::flush(std::int32_t z) {
  const auto columns = static_cast<std::size_t>(this->columns());
  for (std::int32_t y = 0; y < rows(); ++y) {
    Real* const from = row(y, z);
    double* const to = sums_.data() + at(y, z) * kStride;
    for (std::size_t x = 0; x < columns; ++x) {
      to[x] += static_cast<double>(from[x]);
      from[x] = 0;
    }
    std::fill_n(from + columns, kLanes, Real(0));
  }
  kernels_[static_cast<std::size_t>(z)] = 0;
  summed_[static_cast<std::size_t>(z)] = true;
}

template <class Real>
void TileSums<Real>::move_to(Real* values, std::int64_t nx, std::int64_t ny) {
  for (std::int32_t z = 0; z < slices(); ++z) {
    if (kernels_[static_cast<std::size_t>(z)] > 0) flush(z);
    if (!summed_[static_cast<std::size_t>(z)]) continue;
    for (std::int32_t y = 0; y < rows(); ++y) {
      double* const from = sums_.data() + at(y, z) * kStride;
      Real* const to = values +
                       ((std::int64_t{box_.axes[2].begin} + z) * ny + box_.axes[1].begin + y) * nx +
                       box_.axes[0].begin;
      for (std::int32_t x = 0; x < columns(); ++x) {
        to[x] += static_cast<Real>(from[x]);
        from[x] = 0;
      }
    }
  }
}

template class TileSums<float>;
template class TileSums<double>;

}  // namespace skde

#pragma once

#include <array>
#include <cmath>
#include <cstring>
#include <utility>

#include "engines/cpu/tile/tile_sums.hpp"

namespace skde {

/// Adds the means of kernels over the cells of a tile (CellNodes). The functions are inlined, so
/// that they are compiled for their caller's instructions.
template <class Real>
class MeanRows {
 public:
  explicit MeanRows(const CellNodes<Real>& nodes) : nodes_(nodes) {}

  template <class Profile>
  [[gnu::always_inline]] void add(TileSums<Real>& tile, const Profile& profile,
                                  const TileSample<Real>& s, const Ellipsoid<Real>& e) {
    const Ranges ranges = ranges_of(tile, s, e);
    if (ranges.x.empty() || ranges.y.empty()) return;
    if (is_within_cell(s, e)) return add_to_cell(tile, s, ranges);
    if constexpr (requires { profile.rate; })
      if (is_along_axes(e)) return add_products(tile, profile, s, e, ranges);
    across_ = nodes_.count(roundness<Real>(e));
    along_ = nodes_.along_x > 0 ? nodes_.along_x : across_;
    for (std::int32_t z = ranges.z.begin; z < ranges.z.end; ++z) {
      find_chords(s, e, z, ranges.y);
      if (Profile::kDegree == 1 && e.sx < kWide) find_cubics(e.inv_sx);
      constexpr Real kCounted = 0x1p22F;  // the sum of two of these is exact in float
      if (std::abs(static_cast<Real>(s.cell[0])) < kCounted && 2 * e.rx < kCounted)
        find_columns<Real>(s, tile.columns());
      else
        find_columns<double>(s, tile.columns());
      for (std::int32_t row = 0; row < ranges.y.size(); ++row) {
        const auto k = static_cast<std::size_t>(row);
        if (first_[k] >= end_[k]) continue;
        add_row(tile.row(ranges.y.begin + row, z), profile, s, e, k);
      }
      tile.count(z);
    }
  }

 private:
  static constexpr int kLanes = TileSums<Real>::kLanes;
  static constexpr std::int32_t kRows = TileSums<Real>::kRows;
  static constexpr Real kHalf = 0.5, kNowhere = 0x1p60F;
  /// From this half width on, differences of antiderivatives lose digits.
  static constexpr Real kWide = 64;
  using Vector [[gnu::vector_size(64)]] = Real;

  /// The cells of a tile that a kernel meets.
  struct Ranges {
    IndexRange x, y, z;
  };
  /// The parts of a kernel on lines along x, one for each row of a slice, through the same nodes of
  /// their cells: the middle relative to the sample's cell, the half width, outer = u1^2 + u2^2,
  /// and the weight of the nodes.
  struct alignas(64) Chords {
    std::array<Real, kRows> middle, half, outer, weight;
  };

  using Lanes = std::make_integer_sequence<int, kLanes>;
  /// Moves each lane to the one before it, and keeps the last one. By reference: see
  /// slice_rows.cpp.
  template <int... lanes>
  [[gnu::always_inline]] static void shift(Vector& to, const Vector& from,
                                           std::integer_sequence<int, lanes...>) {
    to = __builtin_shufflevector(from, from, std::min(lanes + 1, kLanes - 1)...);
  }

  [[gnu::always_inline]] static Ranges ranges_of(const TileSums<Real>& tile,
                                                 const TileSample<Real>& s,
                                                 const Ellipsoid<Real>& e) {
    return {cells_within(s.offset[0], e.rx + kHalf, tile.columns(), s.cell[0]),
            cells_within(s.offset[1], e.ry + kHalf, tile.rows(), s.cell[1]),
            cells_within(s.offset[2], e.sz + kHalf, tile.slices(), s.cell[2])};
  }

  [[gnu::always_inline]] static bool is_within_cell(const TileSample<Real>& s,
                                                    const Ellipsoid<Real>& e) {
    return std::abs(s.offset[0]) + e.rx <= kHalf && std::abs(s.offset[1]) + e.ry <= kHalf &&
           std::abs(s.offset[2]) + e.sz <= kHalf;
  }

  /// Adds a kernel within the sample's cell, which the ranges hold unless it is in another tile.
  [[gnu::always_inline]] static void add_to_cell(TileSums<Real>& tile, const TileSample<Real>& s,
                                                 const Ranges& ranges) {
    const auto holds = [](const IndexRange& range, std::int32_t cell) {
      return cell >= range.begin && cell < range.end;
    };
    if (!holds(ranges.x, s.cell[0]) || !holds(ranges.y, s.cell[1]) || !holds(ranges.z, s.cell[2]))
      return;
    tile.row(s.cell[1], s.cell[2])[s.cell[0]] += s.weight;
    tile.count(s.cell[2]);
  }

  /// Writes the shares of a Gaussian's mass between the faces of cells along an axis.
  template <class Shares>
  [[gnu::always_inline]] static void find_shares(Shares& shares, const TileSample<Real>& s,
                                                 std::size_t axis, double scale,
                                                 const IndexRange& cells) {
    const double first = static_cast<double>(s.distance(cells.begin, axis)) - 0.5;
    double before = std::erf(scale * first);
    for (std::int32_t i = 0; i < cells.size(); ++i) {
      const double after = std::erf(scale * (first + i + 1));
      shares[static_cast<std::size_t>(i)] = static_cast<Real>(0.5 * (after - before));
      before = after;
    }
  }

  template <class Profile>
  [[gnu::always_inline]] void add_products(TileSums<Real>& tile, const Profile& profile,
                                           const TileSample<Real>& s, const Ellipsoid<Real>& e,
                                           const Ranges& ranges) {
    const double root = std::sqrt(profile.rate);
    find_shares(columns_, s, 0, root * static_cast<double>(e.inv_sx), ranges.x);
    find_shares(rows_, s, 1, root * static_cast<double>(e.inv_sy), ranges.y);
    find_shares(slices_, s, 2, root * static_cast<double>(e.inv_sz), ranges.z);
    for (std::int32_t z = 0; z < ranges.z.size(); ++z) {
      for (std::int32_t y = 0; y < ranges.y.size(); ++y) {
        const Real weight =
            s.weight * slices_[static_cast<std::size_t>(z)] * rows_[static_cast<std::size_t>(y)];
        Real* const row = tile.row(ranges.y.begin + y, ranges.z.begin + z) + ranges.x.begin;
        for (std::int32_t x = 0; x < ranges.x.size(); ++x)
          row[x] += weight * columns_[static_cast<std::size_t>(x)];
      }
      tile.count(ranges.z.begin + z);
    }
  }

  /// Finds the chords of the rows of slice z, at all nodes across.
  [[gnu::always_inline]] void find_chords(const TileSample<Real>& s, const Ellipsoid<Real>& e,
                                          std::int32_t z, const IndexRange& y) {
    const Real dz = s.distance(z, 2);
    const Real low = std::max(dz - kHalf, -e.sz), high = std::min(dz + kHalf, e.sz);
    const int first = nodes_.first(across_);
    low_.fill(kNowhere);
    high_.fill(-kNowhere);
    chords_ = 0;
    if (!(low < high)) return;
    const Real scale = s.weight * nodes_.mass * e.inv_sx * e.inv_sy * e.inv_sz * (high - low);
    for (int i = first; i < first + across_; ++i) {
      const Real at = kHalf * (low + high) + kHalf * (high - low) * nodes_.place[i];
      for (int j = first; j < first + across_; ++j)
        find_chord(table_[static_cast<std::size_t>(chords_++)], s, e, at, s.distance(y.begin, 1),
                   scale * nodes_.weight[i] * nodes_.weight[j], nodes_.place[j]);
    }
  }

  /// Finds the chords at one height above the sample, of all rows.
  [[gnu::always_inline]] void find_chord(Chords& chords, const TileSample<Real>& s,
                                         const Ellipsoid<Real>& e, Real dz, Real first_dy,
                                         Real weight, Real place) {
    const Real u2 = dz * e.inv_sz, middle = e.bzy * dz;
    const Real half = e.sy * std::sqrt(std::max(Real(1) - u2 * u2, Real(0)));
    for (std::int32_t row = 0; row < kRows; ++row) {
      const auto k = static_cast<std::size_t>(row);
      const Real dy = first_dy + static_cast<Real>(row) - middle;
      const Real low = std::max(dy - kHalf, -half), high = std::min(dy + kHalf, half);
      const Real length = std::max(high - low, Real(0));
      const Real at = kHalf * (low + high) + kHalf * length * place, u1 = at * e.inv_sy;
      chords.outer[k] = u1 * u1 + u2 * u2;
      chords.half[k] = e.sx * std::sqrt(std::max(Real(1) - chords.outer[k], Real(0)));
      chords.middle[k] = s.offset[0] + (e.bxy * (at + middle) + e.bxz * dz);
      chords.weight[k] = weight * length;
      const bool counts = length > Real(0);
      low_[k] = std::min(low_[k], counts ? chords.middle[k] - chords.half[k] : low_[k]);
      high_[k] = std::max(high_[k], counts ? chords.middle[k] + chords.half[k] : high_[k]);
    }
  }

  /// Replaces outer and weight by the coefficients of the antiderivative of weight (1 - q), which
  /// is outer x - weight x^3.
  [[gnu::always_inline]] void find_cubics(Real inv_sx) {
    const Real bend = inv_sx * inv_sx / Real(3);
    for (int c = 0; c < chords_; ++c) {
      Chords& chords = table_[static_cast<std::size_t>(c)];
      for (std::size_t k = 0; k < kRows; ++k) {
        chords.outer[k] = chords.weight[k] * (Real(1) - chords.outer[k]);
        chords.weight[k] *= bend;
      }
    }
  }

  /// Finds the columns that the chords of each row meet, counted in `Count` (see find_rows).
  template <class Count>
  [[gnu::always_inline]] void find_columns(const TileSample<Real>& s, std::int32_t columns) {
    const auto cell = static_cast<Count>(s.cell[0]), most = static_cast<Count>(columns);
    for (std::int32_t row = 0; row < kRows; ++row) {
      const auto k = static_cast<std::size_t>(row);
      const Count left = cell + static_cast<Count>(std::floor(low_[k] + kHalf));
      const Count right = cell + static_cast<Count>(std::ceil(high_[k] + kHalf));
      first_[k] = static_cast<std::int32_t>(std::min(std::max(left, Count(0)), most));
      end_[k] = static_cast<std::int32_t>(std::min(std::max(right, Count(0)), most));
    }
  }

  /// Adds the chords of row k, which meet some cells.
  template <class Profile>
  [[gnu::always_inline]] void add_row(Real* row, const Profile& profile, const TileSample<Real>& s,
                                      const Ellipsoid<Real>& e, std::size_t k) {
    if constexpr (Profile::kDegree == 1)
      if (e.sx < kWide) return add_parabolas(row, s, k);
    for (std::int32_t x = first_[k]; x < end_[k]; x += kLanes) {
      const Real start = static_cast<Real>(std::int64_t{x} - s.cell[0]) - kHalf;
      for (int c = 0; c < chords_; ++c) {
        const Chords& chords = table_[static_cast<std::size_t>(c)];
        const Real from = start - chords.middle[k], half = chords.half[k], outer = chords.outer[k],
                   weight = chords.weight[k];
#pragma GCC ivdep
        for (int lane = 0; lane < kLanes; ++lane)
          row[x + lane] +=
              weight * integral_along(nodes_, along_, profile, from + static_cast<Real>(lane), half,
                                      outer, e.inv_sx);
      }
    }
  }

  /// Does the same for 1 - q: sums its antiderivatives at the faces of cells, and then takes the
  /// differences between them.
  [[gnu::always_inline]] void add_parabolas(Real* row, const TileSample<Real>& s, std::size_t k) {
    for (std::int32_t x = first_[k]; x < end_[k]; x += kLanes - 1) {
      const Real start = static_cast<Real>(std::int64_t{x} - s.cell[0]) - kHalf;
      Vector at{}, sums{}, cells;
      for (int lane = 0; lane < kLanes; ++lane) at[lane] = start + static_cast<Real>(lane);
      for (int c = 0; c < chords_; ++c) {
        const Chords& chords = table_[static_cast<std::size_t>(c)];
        const Real half = chords.half[k];
        Vector from = at - chords.middle[k];
        from = from < half ? from : Vector{} + half;
        from = from > -half ? from : Vector{} - half;
        sums += from * (chords.outer[k] - chords.weight[k] * (from * from));
      }
      std::memcpy(&cells, row + x, sizeof cells);
      shift(at, sums, Lanes());
      cells += at - sums;  // nothing in the last lane
      std::memcpy(row + x, &cells, sizeof cells);
    }
  }

  const CellNodes<Real>& nodes_;
  int across_ = 1, along_ = 1, chords_ = 0;
  std::array<Chords, std::size_t{CellNodes<Real>::kMost} * CellNodes<Real>::kMost> table_;
  alignas(64) std::array<Real, kRows> low_, high_;           ///< ends of all chords of a row
  alignas(64) std::array<std::int32_t, kRows> first_, end_;  ///< columns that these meet
  std::array<Real, TileSums<Real>::kColumns> columns_;
  std::array<Real, TileSums<Real>::kRows> rows_;
  std::array<Real, TileSums<Real>::kSlices> slices_;
};

}  // namespace skde

#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "core/kernel/exponential.hpp"
#include "engines/cpu/tile/tile_sums.hpp"

namespace skde {

/// Adds a Gaussian to a tile with two multiply-adds per cell. Let m be the middle of a row,
/// relative to the mean of those in a block of rows and slices, and x a column, relative to the
/// same. Then
///
///     exp(-k (x - m)^2) = exp(-k m^2) exp(-k x^2 + 2 k m x)
///
/// The first factor is one number per row, which the row's weight takes. The second one is a vector
/// per strip, as many columns as a vector has lanes. As m is linear, it grows by a constant factor
/// 1 + g from row to row, and from slice to slice: V' = V + V g, which rounds no more than V. The
/// functions are inlined, so that they are compiled for their caller's instructions.
template <class Real>
class GaussianStrips {
 public:
  GaussianStrips(Real rate, const TileSample<Real>& s, const Ellipsoid<Real>& e)
      : rate_(rate), s_(s), e_(e) {
    const Real slope = e.bxy * e.inv_sx, curve = e.inv_sy * e.inv_sy + slope * slope;
    half_chord_ = 1 / std::sqrt(curve);
    lean_ = slope * e.inv_sx / curve;
    inv_ex_ = 1 / e.ex;
  }

  /// Adds the part of the kernel in these cells of the tile, which hold all of it. Returns false,
  /// and adds nothing, if the kernel is so slanted that blocks would be small.
  [[gnu::always_inline]] bool add(TileSums<Real>& tile, const IndexRange& x, const IndexRange& y,
                                  const IndexRange& z) {
    // All factors of cells within the kernel are above e^kLeast if the middles of rows stay within
    // `most` half widths. Where the Gaussian is large, they are below e^6, so rounding their
    // logarithms matters little.
    const Real by_row = std::abs(e_.bxy * e_.inv_sx), by_slice = std::abs(e_.bxz * e_.inv_sx);
    std::int32_t rows = y.size(), slices = z.size();
    for (;;) {
      const Real across = by_row * static_cast<Real>(rows - 1),
                 along = by_slice * static_cast<Real>(slices - 1);
      const Real most = Real(0.5) * (across + along);
      if (rate_ * (1 + most) * std::max(1 + 3 * most, 4 * by_row) < -kLeast) break;
      if (across > along ? rows < 4 : slices < 2) return false;
      if (across > along)
        rows = (rows + 1) / 2;
      else
        slices = (slices + 1) / 2;
    }
    for (std::int32_t slice = z.begin; slice < z.end; slice += slices)
      for (std::int32_t row = y.begin; row < y.end; row += rows)
        add_block(tile, x, {row, std::min(row + rows, y.end)},
                  {slice, std::min(slice + slices, z.end)});
    for (std::int32_t slice = z.begin; slice < z.end; ++slice) tile.count(slice);
    return true;
  }

 private:
  static constexpr int kLanes = TileSums<Real>::kLanes;
  static constexpr std::int32_t kRows = TileSums<Real>::kRows, kSlices = TileSums<Real>::kSlices;
  static constexpr std::ptrdiff_t kStride = TileSums<Real>::kStride;
  static constexpr Real kLeast = -72;
  using Vector [[gnu::vector_size(64)]] = Real;
  using Lanes = std::array<Real, kLanes>;

  static Real factor(Real log) { return log < kLeast ? Real(0) : exp_of_negative(log); }
  static Real growth(Real log, Real most) {
    return exp_less_one(std::min(std::max(log, -most), most));
  }

  [[gnu::always_inline]] void add_block(TileSums<Real>& tile, const IndexRange& x,
                                        const IndexRange& y, const IndexRange& z) {
    dy_ = s_.distance(y.begin, 1);
    dz_ = s_.distance(z.begin, 2);
    down_ = Real(0.5) *
            (e_.bxy * static_cast<Real>(y.size() - 1) + e_.bxz * static_cast<Real>(z.size() - 1));
    const Real middle = e_.bxy * dy_ + e_.bxz * dz_ + down_;
    find_weights(y.size(), z.size());
    for (std::int32_t column = x.begin; column < x.end; column += kLanes) {
      const Real dx = s_.distance(column, 0);
      find_rows(dx, static_cast<Real>(y.size()));
      find_factors(dx - middle);
      add_strip(tile, column, y.begin, z);
    }
  }

  /// Finds the weights of the block's rows. Those of rows beyond it are 0.
  [[gnu::always_inline]] void find_weights(std::int32_t rows, std::int32_t slices) {
    for (std::int32_t slice = 0; slice < slices; ++slice) {
      const Real dz = dz_ + static_cast<Real>(slice), u2 = dz * e_.inv_sz;
      const Real first_m = e_.bxz * static_cast<Real>(slice) - down_;
      Real* const weights = weights_[static_cast<std::size_t>(slice)].data();
      for (std::int32_t k = 0; k < kRows; ++k) {
        const Real u1 = (dy_ + static_cast<Real>(k) - e_.bzy * dz) * e_.inv_sy;
        const Real m = (first_m + e_.bxy * static_cast<Real>(k)) * e_.inv_sx;
        weights[k] = k < rows ? s_.weight * factor(-rate_ * (u1 * u1 + u2 * u2 + m * m)) : Real(0);
      }
    }
  }

  /// Finds the rows of each slice that have cells of the strip within the kernel. In a column they
  /// are those within half a chord of the mean of y given x and z. Chords are concave, so the
  /// outermost ones are where x is nearest to the kernel's tips.
  [[gnu::always_inline]] void find_rows(Real dx, Real most) {
    const Real end_dx = dx + Real(kLanes - 1);
    for (std::int32_t slice = 0; slice < kSlices; ++slice) {
      const Real dz = dz_ + static_cast<Real>(slice), u2 = dz * e_.inv_sz;
      const Real rest = std::max(Real(1) - u2 * u2, Real(0));
      const Real x = e_.mx * dz, y = e_.bzy * dz - dy_, tip = e_.bxy * e_.sy * std::sqrt(rest);
      const Real top = std::min(std::max(x + tip, dx), end_dx) - x;
      const Real bottom = std::min(std::max(x - tip, dx), end_dx) - x;
      const Real high = y + lean_ * top + half_chord(rest, top);
      const Real low = y + lean_ * bottom - half_chord(rest, bottom);
      const Real from = std::min(std::max(std::ceil(low), Real(0)), most);
      const Real to = std::min(std::max(std::floor(high) + 1, Real(0)), most);
      first_[static_cast<std::size_t>(slice)] = static_cast<std::int32_t>(from);
      end_[static_cast<std::size_t>(slice)] = static_cast<std::int32_t>(to);
    }
  }
  /// Far below 0 where the column misses the kernel.
  Real half_chord(Real rest, Real x) const {
    const Real u = x * inv_ex_, squared = rest - u * u;
    return squared < 0 ? Real(-0x1p20F) : half_chord_ * std::sqrt(squared);
  }

  /// Finds the strip's factors in the first row, and what they grow by.
  [[gnu::always_inline]] void find_factors(Real first_x) {
    const Real k = 2 * rate_ * e_.inv_sx * e_.inv_sx;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const Real x = first_x + static_cast<Real>(static_cast<std::int32_t>(lane)), kx = k * x;
      values_[lane] = factor(-kx * (Real(0.5) * x + down_));
      by_row_[lane] = growth(kx * e_.bxy, kLeast / -2);
      by_slice_[lane] = growth(kx * e_.bxz, -kLeast);
    }
  }

  /// Adds two rows at a time, each of which grows from the one before the other.
  [[gnu::always_inline]] void add_strip(TileSums<Real>& tile, std::int32_t column,
                                        std::int32_t first_row, const IndexRange& z) {
    Vector slice_values, by_row, by_slice;
    std::memcpy(&slice_values, values_.data(), sizeof slice_values);
    std::memcpy(&by_row, by_row_.data(), sizeof by_row);
    std::memcpy(&by_slice, by_slice_.data(), sizeof by_slice);
    const Vector by_two = by_row * (by_row + 2);
    for (std::int32_t slice = z.begin; slice < z.end; ++slice) {
      const auto i = static_cast<std::size_t>(slice - z.begin);
      const std::int32_t first = first_[i] / 2 * 2, end = end_[i];
      Vector values = slice_values;
      slice_values += slice_values * by_slice;
      if (first >= end) continue;
      for (std::int32_t k = 0; k < first; k += 2) values += values * by_two;
      Vector next = values + values * by_row;
      const Real* weights = weights_[i].data() + first;
      Real* cells = tile.row(first_row + first, slice) + column;
      for (std::int32_t k = first; k < end; k += 2, cells += 2 * kStride, weights += 2) {
        add_row(cells, weights[0], values);
        add_row(cells + kStride, weights[1], next);
        values += values * by_two;
        next += next * by_two;
      }
    }
  }
  [[gnu::always_inline]] static void add_row(Real* cells, Real weight, const Vector& values) {
    Vector sums;
    std::memcpy(&sums, cells, sizeof sums);
    sums += weight * values;
    std::memcpy(cells, &sums, sizeof sums);
  }

  Real rate_;
  TileSample<Real> s_;
  Ellipsoid<Real> e_;  // a copy, which no cell can alias
  Real half_chord_, lean_, inv_ex_;
  Real dy_ = 0, dz_ = 0, down_ = 0;
  alignas(64) std::array<std::array<Real, kRows>, kSlices> weights_;
  alignas(64) Lanes values_, by_row_, by_slice_;
  alignas(64) std::array<std::int32_t, kSlices> first_, end_;
};

}  // namespace skde

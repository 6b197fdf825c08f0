#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/kernel/b_spline.hpp"
#include "engines/spectral_plan.hpp"

namespace skde {

/// How the cells along an axis get their values from the axis's nodes [begin, end).
template <class Real>
class AxisCells {
 public:
  AxisCells(const SpectralAxis& axis, int order, std::int64_t cells)
      : axis_(axis), order_(order), cells_(cells) {
    if (axis.interpolated) find_taps();
  }

  bool interpolated() const { return axis_.interpolated; }
  std::int64_t cells() const { return cells_; }
  /// Number of nodes whose values are read.
  std::int32_t nodes() const { return axis_.used(); }
  /// False for nodes of [begin, end) that lie between the cells' centres.
  bool counts(std::int32_t node) const {
    return axis_.interpolated || (node - axis_.begin) % static_cast<std::int32_t>(axis_.step) == 0;
  }

  /// Computes the cells' values from all nodes of a row. The row needs room for `order` nodes more.
  void take_row(Real* nodes, Real* cells) const {
    if (axis_.wraps) std::copy_n(nodes, order_, nodes + axis_.nodes);
    if (!axis_.interpolated) {
      const auto step = static_cast<std::int64_t>(axis_.step);
      for (std::int64_t i = 0; i < cells_; ++i) cells[i] = nodes[axis_.begin + i * step];
      return;
    }
    for (std::int64_t i = 0; i < cells_; ++i) {
      const Taps& taps = taps_[static_cast<std::size_t>(i)];
      Real sum = 0;
      for (int k = 0; k < order_; ++k)
        sum += taps.shares[static_cast<std::size_t>(k)] * nodes[axis_.begin + taps.first + k];
      cells[i] = sum;
    }
  }

  /// Computes a cell's row or slice of `count` values from those of the nodes, which lie one after
  /// the other from node `begin` on.
  void blend(std::int64_t cell, const Real* nodes, std::int64_t count, Real* result) const {
    const Taps& taps = taps_[static_cast<std::size_t>(cell)];
    for (int k = 0; k < order_; ++k) {
      const Real share = taps.shares[static_cast<std::size_t>(k)];
      const std::int64_t node = taps.first + k;
      const Real* const from = nodes + (node < nodes_ ? node : node - nodes_) * count;
      if (k == 0)
        for (std::int64_t i = 0; i < count; ++i) result[i] = share * from[i];
      else
        for (std::int64_t i = 0; i < count; ++i) result[i] += share * from[i];
    }
  }

 private:
  struct Taps {
    std::int64_t first = 0;  ///< node, counted from `begin`
    std::array<Real, 12> shares{};
  };

  void find_taps() {
    taps_.resize(static_cast<std::size_t>(cells_));
    for (std::int64_t i = 0; i < cells_; ++i) {
      const double at = axis_.first + axis_.step * static_cast<double>(i), node = std::floor(at);
      double values[12] = {};
      with_spline_order(order_, [&](auto order) { b_spline_values<order>(at - node, values); });
      Taps& taps = taps_[static_cast<std::size_t>(i)];
      taps.first = static_cast<std::int64_t>(node) - order_ / 2 + 1 - axis_.begin;
      for (std::size_t k = 0; k < 12; ++k) taps.shares[k] = static_cast<Real>(values[k]);
    }
  }

  SpectralAxis axis_;
  std::int64_t nodes_ = axis_.used();
  int order_;
  std::int64_t cells_;
  std::vector<Taps> taps_;
};

}  // namespace skde

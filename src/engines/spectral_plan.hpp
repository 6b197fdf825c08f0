#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "core/problem.hpp"

namespace skde {

/// An axis of the working grid, on whose nodes samples are spread and transformed. The nodes are
/// periodic. They span a period of the problem if it has one; otherwise padding keeps what wraps
/// around away from the cells.
struct SpectralAxis {
  double origin = 0;          ///< world coordinate of `first`
  double spacing = 1;         ///< of nodes, in world units
  std::int32_t nodes = 0;     ///< even, with no prime factor above 7
  double first = 0;           ///< the first cell's centre, in nodes
  double step = 1;            ///< from one cell to the next, in nodes
  bool interpolated = false;  ///< false: cell centres are nodes
  /// The nodes [begin, end) from which the cells take their values. If the axis wraps, begin is 0,
  /// and those from `nodes` on are the first ones again.
  std::int32_t begin = 0, end = 0;
  bool wraps = false;  ///< the nodes span a period

  /// Number of distinct nodes in [begin, end).
  std::int32_t used() const { return std::min(end, nodes) - begin; }

  /// Returns a place, in world units, as a node coordinate. It has the digits of the distance from
  /// the first cell, however far both are from 0.
  double node_at(double place) const { return (place - origin) / spacing + first; }
  std::int32_t node_of(std::int64_t cell) const {
    return static_cast<std::int32_t>(first) + static_cast<std::int32_t>(step * double(cell));
  }
  friend bool operator==(const SpectralAxis&, const SpectralAxis&) = default;
};

/// How a density is computed by transforms. Samples are spread over a working grid by B-splines.
/// The sums are transformed, multiplied by the kernel's transform over the spline's, and
/// transformed back. Cells take their values from nodes or, by the same splines, from the nodes
/// around them.
struct SpectralPlan {
  int order = 4;  ///< of the splines; a sample has order^3 nodes
  std::array<SpectralAxis, 3> axes{};
  bool in_double = false;  ///< the transforms
  bool means = false;      ///< cells take means over themselves, not values at their centres
  /// Samples are summed in integers, and the problem's total weight is this many of them. The sums
  /// are exact, and the same in any order. A power of two: a sample's integer is below 2^51, and
  /// the sum of all below 2^62.
  double numbers = 0x1p51;
  /// Bound of a value's error, as a share of the density's peak, wherever the peak lies.
  double error = 0;

  std::int64_t nodes() const { return std::int64_t{axes[0].nodes} * axes[1].nodes * axes[2].nodes; }
  /// Length of a row along x, in numbers of 8 bytes. A row holds the sums and then their transform.
  /// Splines that begin on the last node of a period extend beyond it.
  std::int64_t row() const { return std::int64_t{axes[0].nodes} + (axes[0].wraps ? 12 : 2); }
  std::int64_t row_bytes() const { return 8 * row(); }
  double grid_bytes() const;
  std::string describe() const;
};

/// What an engine can do, and the costs by which it chooses between fine grids and high orders. A
/// cloud costs as much as order^3 (nodes_a_tap + nodes_a_sample_tap samples) nodes of the
/// transform.
struct SpectralCosts {
  double nodes_a_tap = 0, nodes_a_sample_tap = 0;
  double above_8 = 1;          ///< factor of that for orders above 8
  double nodes_a_cell = 0.03;  ///< per interpolated cell and order of the splines
  int most_order = 8;          ///< highest spline order of the engine
  bool wraps = false;          ///< it spreads and interpolates across periods
};

/// The cheapest plan that holds the problem's tolerance, or why there is none. It depends on the
/// problem alone, so that all parts of a cloud are summed on one working grid.
struct SpectralChoice {
  std::optional<SpectralPlan> plan;
  std::string refusal;
};
SpectralChoice choose_spectral_plan(const Problem& problem, const SpectralCosts& costs);

/// Returns how far beyond the grid's box samples change the transforms: as far as there are nodes.
/// None if an axis wraps.
std::optional<Vec3> reach_of(const SpectralPlan& plan, const Grid& grid);

/// Returns the factor of the transform at the axis's frequency f = 0 ... nodes - 1: 1 over the
/// splines' transform and the axis's length. It is 0 at the frequency that has no sign.
double spectral_factor(const SpectralPlan& plan, int axis, std::int32_t f);

/// Returns the angular frequency of f, in 1 / world unit.
double angular_frequency(const SpectralAxis& axis, std::int32_t f);

}  // namespace skde

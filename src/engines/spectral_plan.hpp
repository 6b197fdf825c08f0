#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "core/problem.hpp"

namespace skde {

/// An axis of the working grid, on whose nodes samples are spread and transformed. The nodes are
/// periodic: they span a period of the problem where it has one, and else padding keeps what wraps
/// around away from the cells.
struct SpectralAxis {
  double origin = 0;          ///< where `first` lies, in world units
  double spacing = 1;         ///< of nodes, in world units
  std::int32_t nodes = 0;     ///< even, with no prime factor above 7
  double first = 0;           ///< where the first cell's centre lies, in nodes
  double step = 1;            ///< from one cell to the next, in nodes
  bool interpolated = false;  ///< false: the cells' centres are nodes
  /// The nodes [begin, end) that the cells' values are made of; where they wrap, begin is 0 and
  /// those from `nodes` on are the first ones again.
  std::int32_t begin = 0, end = 0;
  bool wraps = false;  ///< the nodes span a period

  /// How many nodes [begin, ...) these are, each once.
  std::int32_t used() const { return std::min(end, nodes) - begin; }

  /// Of a place in world units, in nodes: to the digits of its distance from the first cell,
  /// however far both are from 0.
  double node_at(double place) const { return (place - origin) / spacing + first; }
  std::int32_t node_of(std::int64_t cell) const {
    return static_cast<std::int32_t>(first) + static_cast<std::int32_t>(step * double(cell));
  }
  friend bool operator==(const SpectralAxis&, const SpectralAxis&) = default;
};

/// How a density is computed by transforms: samples are spread over a working grid by B-splines,
/// the sums are transformed, multiplied by the kernel's transform over that of the spline, and
/// transformed back; the cells take their values from nodes or, by the same splines, from those
/// around them.
struct SpectralPlan {
  int order = 4;  ///< of the splines: order^3 nodes a sample
  std::array<SpectralAxis, 3> axes{};
  bool in_double = false;  ///< the transforms
  /// Samples are summed in integers, of which this many are the problem's total weight: the
  /// sums are exact, and the same in any order. A power of two: a sample's own is below 2^51, and
  /// that of all below 2^62.
  double numbers = 0x1p51;
  /// Bound of a value's error as a share of the density's peak, wherever that lies.
  double error = 0;

  std::int64_t nodes() const { return std::int64_t{axes[0].nodes} * axes[1].nodes * axes[2].nodes; }
  /// Numbers of 8 bytes of a row along x, which holds the sums and then its transform. Splines
  /// that begin on the last node of a period end behind it.
  std::int64_t row() const { return std::int64_t{axes[0].nodes} + (axes[0].wraps ? 12 : 2); }
  std::int64_t row_bytes() const { return 8 * row(); }
  double grid_bytes() const;
  std::string describe() const;
};

/// What an engine can, and what the choice between fine grids and high orders weighs: a cloud costs
/// order^3 times so many nodes of the transform, and so many more for each of its samples.
struct SpectralCosts {
  double nodes_a_tap = 0, nodes_a_sample_tap = 0;
  double above_8 = 1;          ///< times that, of orders above 8
  double nodes_a_cell = 0.03;  ///< that is interpolated, for each order of the splines
  int most_order = 8;          ///< of the splines that the engine spreads with
  bool wraps = false;          ///< it spreads and interpolates around periods
};

/// The cheapest plan that holds the problem's tolerance, or why there is none. It depends on the
/// problem alone, so that all parts of a cloud are summed on one working grid.
struct SpectralChoice {
  std::optional<SpectralPlan> plan;
  std::string refusal;
};
SpectralChoice choose_spectral_plan(const Problem& problem, const SpectralCosts& costs);

/// What the transform of the axis' frequency f, f = 0 ... nodes - 1, is multiplied by: one over the
/// transform of the splines; 0 at the frequency that has no sign.
double spectral_factor(const SpectralPlan& plan, int axis, std::int32_t f);

/// Angular frequency of f in 1 / world unit.
double angular_frequency(const SpectralAxis& axis, std::int32_t f);

}  // namespace skde

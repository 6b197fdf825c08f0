#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "core/grid.hpp"
#include "core/kernel/kernel_shape.hpp"
#include "core/space.hpp"
#include "core/tile_share.hpp"

namespace skde {

/// Points at which densities are wanted: 3 doubles each (x, y, z in world units).
class TargetPoints {
 public:
  TargetPoints() = default;
  explicit TargetPoints(std::vector<double> xyz)
      : xyz_(std::make_shared<const std::vector<double>>(std::move(xyz))) {}

  std::size_t size() const { return xyz_ ? xyz_->size() / 3 : 0; }
  Vec3 point(std::size_t i) const {
    return {(*xyz_)[3 * i], (*xyz_)[3 * i + 1], (*xyz_)[3 * i + 2]};
  }
  std::span<const double> xyz() const {
    return xyz_ ? std::span<const double>(*xyz_) : std::span<const double>();
  }
  friend bool operator==(const TargetPoints& a, const TargetPoints& b) {
    return a.xyz_ == b.xyz_ || (a.xyz_ && b.xyz_ && *a.xyz_ == *b.xyz_);
  }

 private:
  std::shared_ptr<const std::vector<double>> xyz_;  // shared, as problems are copied
};

/// Where densities are wanted.
using Target = std::variant<Grid, TargetPoints>;

/// How many values a target has.
inline std::int64_t target_size(const Target& target) {
  if (const Grid* grid = std::get_if<Grid>(&target)) return grid->cells();
  return static_cast<std::int64_t>(std::get<TargetPoints>(target).size());
}

/// One density to compute: f(g) = sum_i (w_i / total_weight) kernel.amplitude() k(q_i(g)).
/// total_weight is W of the whole cloud, of which a part may be added at a time.
struct Problem {
  Kernel kernel;
  Target target;
  double total_weight = 1;
  /// What a value may be off by, as a share of the peak; 0: by rounding alone.
  double tolerance = 0;
  Precision precision = Precision::f32;  ///< of the sums and of the values
  /// Deviations of kernels on a grid, in cells, below which those of samples with widths or shapes
  /// of their own are widened to it (SampleShapes); 0: none is.
  double min_width = 0;
  /// Lengths after which the grid's space repeats along x, y and z; 0: it does not. Engines whose
  /// offers say that they wrap sum samples with all their images there; others see none of it, and
  /// are given the images within reach as samples.
  Vec3 periods{};
  /// Values below 0 that the rounding of transforms leaves stay as they are. Otherwise they are 0.
  bool keep_negatives = false;
  /// About how many samples are added in all, by which engines choose among ways of their own.
  double samples = 1e5;
  /// At most: W, of all samples that are added, and the largest weight of one, as shares of
  /// total_weight. Engines that sum integers scale them by these.
  double whole_share = 1, largest_share = 1;
  /// Slices of the grid that are computed; all where there are none. Their values are, to the bit,
  /// those that a run over the whole grid gives them. For engines whose offers may be cut.
  std::optional<SliceRange> slices{};
  /// Tiles of the grid that are computed, as an engine has them; the values of all others are 0,
  /// and what engines with all shares compute adds up to the bits of a run over the whole grid. For
  /// engines whose offers say that they share tiles.
  std::optional<TileShare> share{};

  /// The evaluation grid; std::bad_variant_access where the targets are points.
  const Grid& grid() const { return std::get<Grid>(target); }
  bool has_grid() const { return std::holds_alternative<Grid>(target); }
  /// What the values are of: the target, or the slices of it that are computed.
  Target value_target() const {
    if (!slices) return target;
    return slab_of(grid(), slices->first, slices->count);
  }
  friend bool operator==(const Problem&, const Problem&) = default;
};

}  // namespace skde

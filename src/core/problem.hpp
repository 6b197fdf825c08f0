#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "core/kernel/kernel_shape.hpp"
#include "core/space/grid.hpp"
#include "core/space/space.hpp"
#include "core/space/tile_share.hpp"

namespace skde {

/// Points at which densities are evaluated: 3 doubles each (x, y, z in world units).
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
  std::shared_ptr<const std::vector<double>> xyz_;  // shared, because problems are copied
};

/// Where densities are evaluated.
using Target = std::variant<Grid, TargetPoints>;

/// Returns the number of values of a target.
inline std::int64_t target_size(const Target& target) {
  if (const Grid* grid = std::get_if<Grid>(&target)) return grid->cells();
  return static_cast<std::int64_t>(std::get<TargetPoints>(target).size());
}

/// One density to compute: f(g) = sum_i (w_i / total_weight) kernel.amplitude() k(q_i(g)).
/// total_weight is W of the whole cloud, which may be added in parts.
struct Problem {
  Kernel kernel;
  Target target;
  double total_weight = 1;
  /// Largest allowed error of a value, as a share of the peak; 0: rounding only.
  double tolerance = 0;
  Precision precision = Precision::f32;  ///< of the sums and of the values
  CellValue cells = CellValue::centre;   ///< of a grid
  /// The anti-aliasing floor: per-sample kernels on a grid are widened to a deviation of at least
  /// so many cells along each axis (SampleShapes); 0: no floor.
  double min_width = 0;
  /// Periods of the grid's space along x, y and z; 0: not periodic. Engines whose offers say that
  /// they wrap sum samples with all their images. Other engines ignore the periods and receive the
  /// images within reach as samples.
  Vec3 periods{};
  /// If set, negative values from the rounding of transforms are kept; otherwise they become 0.
  bool keep_negatives = false;
  /// Weights may be below 0. total_weight and the shares below are those of absolute values.
  bool signed_weights = false;
  /// Approximate number of samples added in all, by which engines choose between methods.
  double samples = 1e5;
  /// Upper bounds, as shares of total_weight: W of all samples that are added, and the largest
  /// weight of a sample. Engines that accumulate integers scale them by these.
  double whole_share = 1, largest_share = 1;

  /// The evaluation grid. Throws std::bad_variant_access if the target is points.
  const Grid& grid() const { return std::get<Grid>(target); }
  bool has_grid() const { return std::holds_alternative<Grid>(target); }
  friend bool operator==(const Problem&, const Problem&) = default;
};

}  // namespace skde

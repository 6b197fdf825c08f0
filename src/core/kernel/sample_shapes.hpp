#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/cloud/samples.hpp"
#include "core/kernel/anti_aliasing_floor.hpp"
#include "core/kernel/ellipsoid.hpp"
#include "core/kernel/kernel_shape.hpp"

namespace skde {

/// The kernel of one sample on a grid: the ellipsoid where it is not 0, in cells, and its peak for
/// a weight of 1.
struct SampleShape {
  Ellipsoid<double> ellipsoid;
  double amplitude = 0;
  bool at_floor = false;  ///< raised, as it was thinner than the floor
};

/// The kernels of samples on a grid, from the common H, bandwidth factors or shapes.
///
/// Kernels thinner than cells lose or gain mass when evaluated at cell centres. Per-sample kernels
/// are therefore widened: an axis along which the deviation is below `min_width` cells (the
/// anti-aliasing floor) is raised to it. The sum over cells of a Gaussian of deviation s is then 1
/// within 6 exp(-2 pi^2 s^2), the first terms of Poisson's formula: 1.6e-8 at a floor of 1. Compact
/// kernels keep more ripple: at a floor of 1 a sample's sum is within 3 % of its weight for
/// Epanechnikov, and within 1 % for the biweight.
class SampleShapes {
 public:
  /// Throws what make_ellipsoid throws.
  SampleShapes(const Kernel& kernel, const Grid& grid, double min_width);

  /// The kernel of samples without bandwidth factors and shapes.
  SKDE_HOST_DEVICE const SampleShape& common() const { return common_; }
  bool is_at_floor(const SamplesView& points, std::size_t i) const;
  SampleShape of(const SamplesView& points, std::size_t i) const;
  /// The kernel of H = `world`, a sample's own matrix in squared world units.
  SKDE_HOST_DEVICE SampleShape of_matrix(const Symmetric3& world) const {
    return own(in_cells(world));
  }
  /// The kernel of H = width^2 times the common H.
  SKDE_HOST_DEVICE SampleShape of_factor(double width) const {
    if (is_thin(width)) return own((width * width) * common_H_);
    SampleShape shape = common_;
    shape.ellipsoid = common_.ellipsoid.scaled(width);
    shape.amplitude = common_.amplitude / (width * width * width);
    return shape;
  }
  /// True if the shortest half length of a kernel is below `least` cells, or a 16th of the root of
  /// the sum of squares of all three. Its coordinates then lose digits in float.
  SKDE_HOST_DEVICE bool is_slim_matrix(const Symmetric3& world, double least) const {
    return is_slim(in_cells(world), least);
  }
  SKDE_HOST_DEVICE bool is_slim_factor(double width, double least) const {
    return is_slim((width * width) * common_H_, least);
  }
  /// The kernel of the common H, raised to the floor if `shaped`. Engines base their offers on it.
  SampleShape typical(bool shaped) const { return shaped ? own(common_H_) : common_; }
  /// Returns the sample's own matrix in squared world units, as used in the sum.
  Symmetric3 matrix_of(const SamplesView& points, std::size_t i) const;
  /// Half extents in cells that hold the sample's kernel. Found faster than its shape, and larger
  /// than the kernel's own by at most the floor.
  Vec3 reach_of(const SamplesView& points, std::size_t i) const;
  SKDE_HOST_DEVICE Vec3 reach_of_matrix(const Symmetric3& world) const {
    return reach(in_cells(world));
  }
  SKDE_HOST_DEVICE Vec3 reach_of_factor(double width) const {
    return reach((width * width) * common_H_);
  }

 private:
  /// Axes of per-sample matrices count as no thinner than this share of the longest: below it,
  /// double has no digits left for the factors.
  static constexpr double kMostSlender = 1e-7;

  SKDE_HOST_DEVICE Symmetric3 in_cells(const Symmetric3& m) const {
    return {m.xx * per_cell_.xx, m.xy * per_cell_.xy, m.xz * per_cell_.xz,
            m.yy * per_cell_.yy, m.yz * per_cell_.yz, m.zz * per_cell_.zz};
  }
  Symmetric3 in_world(const Symmetric3& m) const {
    return {m.xx / per_cell_.xx, m.xy / per_cell_.xy, m.xz / per_cell_.xz,
            m.yy / per_cell_.yy, m.yz / per_cell_.yz, m.zz / per_cell_.zz};
  }
  SKDE_HOST_DEVICE bool is_thin(double width) const { return width * width * least_ < floor_; }
  SKDE_HOST_DEVICE bool is_slim(const Symmetric3& h, double least) const {
    constexpr double kSlender = 1.0 / 16;
    return !is_above(h, std::fmax(least * least / (cut_ * cut_), kSlender * kSlender * h.trace()));
  }
  /// Returns the smallest eigenvalue that a sample's own matrix may keep.
  SKDE_HOST_DEVICE double floor_of(const Symmetric3& h) const {
    return std::fmax(floor_, kMostSlender * kMostSlender * h.trace());
  }
  /// The kernel of H = h squared cells.
  SKDE_HOST_DEVICE SampleShape own(const Symmetric3& h) const {
    SampleShape shape;
    const double floor = floor_of(h);
    shape.at_floor = !is_above(h, floor);
    const Symmetric3 m = (cut_ * cut_) * (shape.at_floor ? raise_to_floor(h, floor) : h);
    shape.ellipsoid = ellipsoid_of(m.xx, m.xy, m.xz, m.yy, m.yz, m.zz);
    shape.amplitude = height_ / (shape.ellipsoid.sx * shape.ellipsoid.sy * shape.ellipsoid.sz);
    return shape;
  }
  SKDE_HOST_DEVICE Vec3 reach(const Symmetric3& h) const {
    const double floor = floor_of(h);
    return {cut_ * std::sqrt(h.xx + floor), cut_ * std::sqrt(h.yy + floor),
            cut_ * std::sqrt(h.zz + floor)};
  }

  Symmetric3 common_H_;  ///< in squared cells
  double floor_ = 0;     ///< least eigenvalue of H, in squared cells
  double least_ = 0;     ///< least eigenvalue of the common H, if there is a floor
  double cut_ = 1;
  double height_ = 0;    ///< amplitude times sx sy sz
  Symmetric3 per_cell_;  ///< turns squared world units into squared cells
  SampleShape common_;
};

/// A summary of the bandwidth factors or shapes of samples that arrive in parts.
class ShapeSummary {
 public:
  void add(const SamplesView& points);

  bool has_shapes() const { return has_shapes_; }
  /// The weighted mean of H_i; requires shapes.
  Symmetric3 mean() const { return (1 / weight_) * sum_; }
  /// The largest along each axis: sqrt(H_ii) of shapes, or factors; 1 if samples have neither.
  Vec3 largest() const { return shaped_ > 0 ? largest_ : Vec3{1, 1, 1}; }
  /// The smallest bandwidth factor; 1 if samples have none.
  double least() const { return least_ < kNoWidth ? least_ : 1; }
  /// As largest(), but without the 1 % of samples that have the largest; within a tenth.
  Vec3 inner() const;

 private:
  static constexpr int kSteps = 1024;  ///< each an eighth of an octave, with 1 in the middle

  bool has_shapes_ = false;
  std::uint64_t shaped_ = 0;
  double weight_ = 0;
  Symmetric3 sum_;
  Vec3 largest_;
  static constexpr double kNoWidth = std::numeric_limits<double>::infinity();
  double least_ = kNoWidth;
  /// By step of the logarithm, along each axis; empty if no sample has a factor or shape.
  std::vector<std::array<std::uint64_t, kSteps>> counts_;
};

}  // namespace skde

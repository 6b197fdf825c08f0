#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/cloud/samples.hpp"
#include "core/grid.hpp"
#include "core/kernel/kernel_shape.hpp"
#include "core/kernel/sample_shapes.hpp"
#include "engines/cpu/sample_range.hpp"

namespace skde {

/// World units to those in which sums are taken: where all samples have one kernel, it is a ball of
/// radius 1 there; where they have their own, the common one is as wide along all axes.
class KernelSpace {
 public:
  KernelSpace(const Kernel& kernel, bool shaped, Vec3 origin);

  Vec3 operator()(const double* world) const;
  /// A gradient with respect to places of this space, as one with respect to the world's.
  Vec3 world_gradient(Vec3 gradient) const;
  bool shaped() const { return shaped_; }
  /// Kernels of samples with widths or shapes of their own, as lengths of this space.
  const SampleShapes& shapes() const { return shapes_; }

 private:
  bool shaped_;
  Vec3 origin_, scale_;
  Ellipsoid<double> ball_;
  SampleShapes shapes_;
};

/// Points in the order of the octants that they lie in, those of kernels of a like reach together,
/// so that what lies near each other is near in memory.
class KernelPoints {
 public:
  enum class Order : std::uint8_t { octants, as_given };

  /// Points without kernels of their own.
  KernelPoints(const KernelSpace& space, std::span<const double> points, Order order);
  /// Samples, whose kernels are as the space has them.
  KernelPoints(const KernelSpace& space, const SamplesView& samples, Order order);

  std::size_t size() const { return order_.size(); }
  /// Of the point that is at `at` now, among those that came.
  std::size_t index(std::size_t at) const { return order_[at]; }
  Vec3 place(std::size_t at) const { return {x_[at], y_[at], z_[at]}; }
  const double* x() const { return x_.data(); }
  const double* y() const { return y_.data(); }
  const double* z() const { return z_.data(); }
  /// The kernel of each, or nothing where it is the ball.
  std::span<const Ellipsoid<double>> ellipsoids() const { return ellipsoids_; }
  /// The height of its kernel for a weight of 1, where it has one of its own.
  double amplitude(std::size_t at) const { return amplitudes_[at]; }
  /// Pieces of so many points at most that lie in one octant each; where they are sorted, of boxes
  /// whose sides are no longer than this.
  std::vector<SampleRange> blocks(std::size_t most,
                                  double longest = std::numeric_limits<double>::infinity()) const;
  /// That holds the points of a range.
  Box box_of(const SampleRange& range) const;
  /// That holds their kernels: the points themselves where those are balls.
  Box reach_of(const SampleRange& range) const;

  /// Bytes of a point, while it is sorted and after.
  static constexpr double kBytes = 56, kShapedBytes = 13 * 8 + 8;

 private:
  bool is_within(const SampleRange& range, double longest) const;
  void sort(std::span<const std::uint32_t> classes, Order order);

  std::vector<std::size_t> order_;
  std::vector<std::uint64_t> keys_;
  std::vector<double> x_, y_, z_, amplitudes_;
  std::vector<Ellipsoid<double>> ellipsoids_;
};

/// Half extents of an ellipsoid.
inline Vec3 half_extents_of(const Ellipsoid<double>& e) { return {e.rx, e.ry, e.sz}; }

}  // namespace skde

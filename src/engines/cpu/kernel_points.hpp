#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/cloud/samples.hpp"
#include "core/kernel/kernel_shape.hpp"
#include "core/kernel/sample_shapes.hpp"
#include "core/space/grid.hpp"
#include "engines/cpu/sample_range.hpp"

namespace skde {

/// Maps world units to the space in which sums are taken. If all samples share one kernel, it is a
/// ball of radius 1 there. If they have their own, the common one has equal extents along all axes.
class KernelSpace {
 public:
  KernelSpace(const Kernel& kernel, bool shaped, Vec3 origin);

  Vec3 operator()(const double* world) const;
  /// Converts a gradient with respect to places of this space to one with respect to world places.
  Vec3 world_gradient(Vec3 gradient) const;
  /// Converts a difference of two places of this space to world units. Not for shaped samples.
  Vec3 world_difference(Vec3 u) const;
  bool shaped() const { return shaped_; }
  /// Kernels of samples with their own bandwidth factors or shapes, in lengths of this space.
  const SampleShapes& shapes() const { return shapes_; }

 private:
  bool shaped_;
  Vec3 origin_, scale_;
  Ellipsoid<double> ball_;
  SampleShapes shapes_;
};

/// Points, sorted by the class of their kernels' reach and then by octant, so that points near each
/// other are near in memory.
class KernelPoints {
 public:
  enum class Order : std::uint8_t { octants, as_given };

  /// Points without kernels of their own. The order does not depend on the number of threads.
  KernelPoints(const KernelSpace& space, std::span<const double> points, Order order,
               int threads = 1);
  /// Samples, with their kernels in lengths of `space`.
  KernelPoints(const KernelSpace& space, const SamplesView& samples, Order order, int threads = 1);

  std::size_t size() const { return order_.size(); }
  /// Returns the input index of the point that is now at `at`.
  std::size_t index(std::size_t at) const { return order_[at]; }
  Vec3 place(std::size_t at) const { return {x_[at], y_[at], z_[at]}; }
  const double* x() const { return x_.data(); }
  const double* y() const { return y_.data(); }
  const double* z() const { return z_.data(); }
  /// The kernel of each sample; empty if all are the ball.
  std::span<const Ellipsoid<double>> ellipsoids() const { return ellipsoids_; }
  /// Height of the kernel for a weight of 1. Only for samples with kernels of their own.
  double amplitude(std::size_t at) const { return amplitudes_[at]; }
  /// Multiplies all places by a factor. Not for points with kernels of their own.
  void scale(double factor) {
    for (std::vector<double>* const along : {&x_, &y_, &z_})
      for (double& at : *along) at *= factor;
  }
  /// Splits the points into blocks of at most `most` points, each within one octant. If the points
  /// are sorted, the sides of the blocks' boxes are at most `longest`.
  std::vector<SampleRange> blocks(std::size_t most,
                                  double longest = std::numeric_limits<double>::infinity()) const;
  /// The bounding box of the points of a range.
  Box box_of(const SampleRange& range) const;
  /// The bounding box of their kernels; of the points alone if the kernels are balls.
  Box reach_of(const SampleRange& range) const;

  /// Bytes per point, during and after the sort; kShapedBytes more for a kernel of its own.
  static constexpr double kBytes = 56, kShapedBytes = 13 * 8 + 8;

 private:
  bool is_within(const SampleRange& range, double longest) const;
  void sort(std::span<const std::uint32_t> classes, Order order, int threads);

  std::vector<std::size_t> order_;
  std::vector<std::uint64_t> keys_;
  std::vector<double> x_, y_, z_, amplitudes_;
  std::vector<Ellipsoid<double>> ellipsoids_;
};

/// Writes point i of an array of 3 doubles each.
inline void put_point(std::span<double> points, std::size_t i, Vec3 at) {
  points[3 * i] = at.x;
  points[3 * i + 1] = at.y;
  points[3 * i + 2] = at.z;
}

/// Half extents of an ellipsoid.
inline Vec3 half_extents_of(const Ellipsoid<double>& e) { return {e.rx, e.ry, e.sz}; }

}  // namespace skde

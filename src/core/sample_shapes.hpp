#pragma once

#include "core/ellipsoid.hpp"
#include "core/kernel_shape.hpp"
#include "core/samples.hpp"

namespace skde {

/// The kernel of one sample on a grid: where it is not 0, in cells, and its height of a weight
/// of 1.
struct SampleShape {
  Ellipsoid<double> ellipsoid;
  double amplitude = 0;
  bool widened = false;  ///< as it was thinner than the floor
};

/// The kernels of samples on a grid, whatever decides them: the common H, widths or shapes.
///
/// Kernels thinner than cells lose mass, or gain it, where they are evaluated at the cells'
/// centres. Those of samples with widths or shapes of their own are widened: every axis along which
/// the kernel's deviation is below `min_width` cells is widened to it. Of a Gaussian of a deviation
/// s the sum over cells is then 1 within 6 exp(-2 pi^2 s^2), the first terms of Poisson's formula:
/// 1.6e-8 at a floor of 1. Kernels with an end keep more of their ripple: at 1, a sample's sum is
/// within 3 % of its weight for Epanechnikov's, 1 % for the biweight.
class SampleShapes {
 public:
  /// Throws as make_ellipsoid.
  SampleShapes(const Kernel& kernel, const Grid& grid, double min_width);

  /// That of samples without widths and shapes.
  const SampleShape& common() const { return common_; }
  bool is_widened(const SamplesView& points, std::size_t i) const;
  SampleShape of(const SamplesView& points, std::size_t i) const;
  /// That of the common H, widened as samples' own shapes are: what offers go by.
  SampleShape typical(bool shaped) const { return shaped ? own(common_H_) : common_; }
  /// Half extents in cells that hold the sample's kernel, found faster than its shape: at most by
  /// the floor larger than the kernel's own.
  Vec3 reach_of(const SamplesView& points, std::size_t i) const;

 private:
  Symmetric3 in_cells(const Symmetric3& m) const;
  double floor_of(const Symmetric3& h) const;
  SampleShape own(const Symmetric3& h) const;  ///< of H = h squared cells

  Symmetric3 common_H_;  ///< in squared cells
  double floor_ = 0;     ///< least eigenvalue of H, in squared cells
  double least_ = 0;     ///< of the common H
  double cut_ = 1;
  double height_ = 0;    ///< amplitude times sx sy sz
  Symmetric3 per_cell_;  ///< turns squared world units into squared cells
  SampleShape common_;
};

}  // namespace skde

#include "core/sample_shapes.hpp"

#include <algorithm>
#include <cmath>

#include "core/widened.hpp"

namespace skde {
namespace {

/// Axes of samples' own matrices count as no thinner than this share of the longest, beyond which
/// double has no digits left for the factors.
constexpr double kMostSlender = 1e-7;

}  // namespace

SampleShapes::SampleShapes(const Kernel& kernel, const Grid& grid, double min_width)
    : common_H_(skde::in_cells(kernel.H, grid)),
      floor_(min_width * min_width / kernel.function->variance),
      cut_(kernel.cut()),
      per_cell_(skde::in_cells({1, 1, 1, 1, 1, 1}, grid)) {
  common_.ellipsoid = kernel.ellipsoid(grid);
  common_.amplitude = kernel.amplitude();
  least_ = eigen_decomposition(common_H_).values[0];
  height_ = kernel.function->constant * cut_ * cut_ * cut_ / grid.cell_volume();
}

Symmetric3 SampleShapes::in_cells(const Symmetric3& m) const {
  return {m.xx * per_cell_.xx, m.xy * per_cell_.xy, m.xz * per_cell_.xz,
          m.yy * per_cell_.yy, m.yz * per_cell_.yz, m.zz * per_cell_.zz};
}

/// The least eigenvalue that samples' own matrices are left with.
double SampleShapes::floor_of(const Symmetric3& h) const {
  return std::max(floor_, kMostSlender * kMostSlender * h.trace());
}

SampleShape SampleShapes::own(const Symmetric3& h) const {
  SampleShape shape;
  const double floor = floor_of(h);
  shape.widened = !is_above(h, floor);
  const Symmetric3 m = (cut_ * cut_) * (shape.widened ? skde::widened(h, floor) : h);
  shape.ellipsoid = ellipsoid_of(m.xx, m.xy, m.xz, m.yy, m.yz, m.zz);
  shape.amplitude = height_ / (shape.ellipsoid.sx * shape.ellipsoid.sy * shape.ellipsoid.sz);
  return shape;
}

bool SampleShapes::is_widened(const SamplesView& points, std::size_t i) const {
  if (points.shapes.empty()) return points.width(i) * points.width(i) * least_ < floor_;
  return !is_above(in_cells(points.shape(i)), floor_);
}

SampleShape SampleShapes::of(const SamplesView& points, std::size_t i) const {
  if (!points.shapes.empty()) return own(in_cells(points.shape(i)));
  if (points.widths.empty()) return common_;
  const double width = points.width(i);
  if (is_widened(points, i)) return own((width * width) * common_H_);
  return {common_.ellipsoid.scaled(width), common_.amplitude / (width * width * width)};
}

Vec3 SampleShapes::reach_of(const SamplesView& points, std::size_t i) const {
  Symmetric3 h = common_H_;
  if (!points.shapes.empty()) h = in_cells(points.shape(i));
  if (!points.widths.empty()) h = (points.width(i) * points.width(i)) * h;
  const double floor = points.shaped() ? floor_of(h) : 0;
  return cut_ * Vec3{std::sqrt(h.xx + floor), std::sqrt(h.yy + floor), std::sqrt(h.zz + floor)};
}

}  // namespace skde

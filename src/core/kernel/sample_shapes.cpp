#include "core/kernel/sample_shapes.hpp"

#include <algorithm>
#include <cmath>

#include "core/kernel/anti_aliasing_floor.hpp"

namespace skde {

SampleShapes::SampleShapes(const Kernel& kernel, const Grid& grid, double min_width)
    : common_H_(skde::in_cells(kernel.H, grid)),
      floor_(min_width * min_width / kernel.function->variance),
      cut_(kernel.cut()),
      per_cell_(skde::in_cells({1, 1, 1, 1, 1, 1}, grid)) {
  common_.ellipsoid = kernel.ellipsoid(grid);
  common_.amplitude = kernel.amplitude();
  if (floor_ > 0) least_ = eigen_decomposition(common_H_).values[0];
  height_ = kernel.function->constant * cut_ * cut_ * cut_ / grid.cell_volume();
}

bool SampleShapes::is_at_floor(const SamplesView& points, std::size_t i) const {
  if (points.shapes.empty()) return is_thin(points.bandwidth_factor(i));
  return !is_above(in_cells(points.shape(i)), floor_);
}

SampleShape SampleShapes::of(const SamplesView& points, std::size_t i) const {
  if (!points.shapes.empty()) return of_matrix(points.shape(i));
  return points.bandwidth_factors.empty() ? common_ : of_factor(points.bandwidth_factor(i));
}

Symmetric3 SampleShapes::matrix_of(const SamplesView& points, std::size_t i) const {
  const bool given = !points.shapes.empty();
  const Symmetric3 world =
      given ? points.shape(i)
            : (points.bandwidth_factor(i) * points.bandwidth_factor(i)) * in_world(common_H_);
  if (!given && !is_thin(points.bandwidth_factor(i))) return world;
  const Symmetric3 h = in_cells(world);
  const double floor = floor_of(h);
  return is_above(h, floor) ? world : in_world(raise_to_floor(h, floor));
}

Vec3 SampleShapes::reach_of(const SamplesView& points, std::size_t i) const {
  if (!points.shapes.empty()) return reach_of_matrix(points.shape(i));
  if (!points.bandwidth_factors.empty()) return reach_of_factor(points.bandwidth_factor(i));
  const Ellipsoid<double>& e = common_.ellipsoid;
  return {e.rx, e.ry, e.sz};
}

}  // namespace skde

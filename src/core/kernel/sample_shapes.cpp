#include "core/kernel/sample_shapes.hpp"

#include <algorithm>
#include <cmath>

namespace skde {
namespace {

constexpr double kStepsAnOctave = 8;

}  // namespace

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

void ShapeSummary::add(const SamplesView& points) {
  if (!points.shaped()) return;
  has_shapes_ = !points.shapes.empty();
  counts_.resize(3);
  for (std::size_t i = 0; i < points.size(); ++i) {
    Vec3 extent;
    if (has_shapes_) {
      const Symmetric3 h = points.shape(i);
      sum_ = sum_ + points.weight(i) * h;
      weight_ += points.weight(i);
      extent = {std::sqrt(h.xx), std::sqrt(h.yy), std::sqrt(h.zz)};
    } else {
      extent = {points.bandwidth_factor(i), points.bandwidth_factor(i), points.bandwidth_factor(i)};
      least_ = std::min(least_, points.bandwidth_factor(i));
    }
    for (int axis = 0; axis < 3; ++axis) {
      largest_[axis] = std::max(largest_[axis], extent[axis]);
      const double step = std::ceil(kStepsAnOctave * std::log2(extent[axis])) + kSteps / 2.0;
      const auto bounded = static_cast<std::size_t>(std::clamp(step, 0.0, kSteps - 1.0));
      ++counts_[static_cast<std::size_t>(axis)][bounded];
    }
  }
  shaped_ += points.size();
}

Vec3 ShapeSummary::inner() const {
  constexpr double kInner = 0.99;
  Vec3 result = largest();
  if (shaped_ == 0) return result;
  for (int axis = 0; axis < 3; ++axis) {
    std::uint64_t below = 0;
    int step = 0;
    for (; step < kSteps; ++step) {
      below += counts_[static_cast<std::size_t>(axis)][static_cast<std::size_t>(step)];
      if (static_cast<double>(below) >= kInner * static_cast<double>(shaped_)) break;
    }
    const double bound = std::exp2((step - kSteps / 2.0) / kStepsAnOctave);
    result[axis] = std::min(result[axis], bound);
  }
  return result;
}

}  // namespace skde

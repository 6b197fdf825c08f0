#include "core/kernel/shape_summary.hpp"

#include <algorithm>
#include <cmath>

namespace skde {
namespace {

constexpr double kStepsAnOctave = 8;

}  // namespace

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

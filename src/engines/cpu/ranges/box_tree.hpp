#pragma once

#include <vector>

#include "core/space.hpp"
#include "engines/cpu/ranges/kernel_points.hpp"
#include "engines/cpu/sample_range.hpp"

namespace skde {

/// A tree of boxes. A leaf bounds a block of points and the reach of their kernels; every other box
/// bounds up to eight boxes of the level below.
class BoxTree {
 public:
  explicit BoxTree(const KernelPoints& points);

  /// Finds the ranges of points whose boxes are within `distance` of this box, in order. Adjacent
  /// ranges are merged.
  void ranges_near(const Box& box, double distance, std::vector<SampleRange>& to) const;

 private:
  void descend(const Box& box, double squared, std::size_t level, std::size_t first,
               std::vector<SampleRange>& to) const;

  std::vector<SampleRange> blocks_;
  std::vector<std::vector<Box>> levels_;  ///< the leaves first
};

}  // namespace skde

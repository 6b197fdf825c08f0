#pragma once

#include <vector>

#include "core/space.hpp"
#include "engines/cpu/ranges/kernel_points.hpp"
#include "engines/cpu/sample_range.hpp"

namespace skde {

/// Boxes about blocks of points and what their kernels reach, boxes about eight of these, and so
/// on.
class BoxTree {
 public:
  explicit BoxTree(const KernelPoints& points);

  /// The ranges of points whose boxes are no further than `distance` from this one, in their
  /// order; those that meet are one.
  void ranges_near(const Box& box, double distance, std::vector<SampleRange>& to) const;

 private:
  void descend(const Box& box, double squared, std::size_t level, std::size_t first,
               std::vector<SampleRange>& to) const;

  std::vector<SampleRange> blocks_;
  std::vector<std::vector<Box>> levels_;  ///< those of the blocks first
};

}  // namespace skde

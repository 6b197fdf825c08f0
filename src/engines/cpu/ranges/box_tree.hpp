#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "core/space/space.hpp"
#include "engines/cpu/kernel_points.hpp"
#include "engines/cpu/sample_range.hpp"

namespace skde {

/// Weights of the points that sums over near points leave out, by their squared distance from a
/// box. Points of a tree box that is left out as a whole count at the distance of that tree box.
struct FarWeights {
  static constexpr std::size_t kBins = 256;  ///< of width 1; the last holds all that is beyond
  std::array<double, kBins> weights{};

  void add(double squared, double weight) {
    weights[static_cast<std::size_t>(std::min(squared, kBins - 1.0))] += weight;
  }
};

/// Returns the squared distance of two boxes; 0 if they touch.
double squared_distance(const Box& a, const Box& b);

/// A tree of boxes. A leaf bounds a block of points and the reach of their kernels; every other box
/// bounds up to eight boxes of the level below.
class BoxTree {
 public:
  explicit BoxTree(const KernelPoints& points);

  /// Finds the ranges of points whose boxes are within `distance` of this box, in order. Adjacent
  /// ranges are merged.
  /// Ranges that end at `after` or before it are left out.
  void ranges_near(const Box& box, double distance, std::vector<SampleRange>& to,
                   std::size_t after = 0) const;

  /// The weights of the points in every box, level by level.
  using Weights = std::vector<std::vector<double>>;
  /// `weights` holds one per point, in the order of the points.
  Weights sum_weights(std::span<const double> weights) const;
  /// Returns the same ranges as without weights, and adds the weights of all other points to `far`.
  void ranges_near(const Box& box, double distance, const Weights& weights,
                   std::vector<SampleRange>& to, FarWeights& far) const;

 private:
  struct Near {
    const Box& box;
    double squared;
    std::size_t after;
  };
  template <class SeeFar>
  void descend(const Near& near, std::size_t level, std::size_t first, std::vector<SampleRange>& to,
               const SeeFar& see_far) const;

  std::vector<SampleRange> blocks_;
  std::vector<std::vector<Box>> levels_;  ///< the leaves first
};

}  // namespace skde

#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "core/space/space.hpp"
#include "engines/cpu/kernel_points.hpp"
#include "engines/cpu/sample_range.hpp"

namespace skde {

/// A tree of boxes: a leaf bounds a block of samples, every other box about eight boxes. Each box
/// bounds the logarithm of its kernels at a distance. Finds the samples that count at a block of
/// points, from the largest on, however far all of them are.
class NearestBoxes {
 public:
  /// `logs` are the logarithms of the samples' heights, in the order of `samples`. The ellipsoids
  /// of `samples` are those of one deviation, q = 1. `log_of` is the logarithm of the kernel's
  /// profile. All must outlive this.
  NearestBoxes(const KernelPoints& samples, std::span<const double> logs,
               double (*log_of)(double q));

  /// Multiplies all places by a factor.
  void scale(double factor) {
    for (auto& level : levels_)
      for (Node& node : level) node.box = {factor * node.box.lower, factor * node.box.upper};
  }
  /// Calls see(range) for blocks of samples, the likely largest first. It returns a bound; blocks
  /// whose kernels are below the bound everywhere in the box are skipped.
  template <class See>
  void search(const Box& box, const See& see) const {
    double least = -kFar;
    search_level(box, levels_.size() - 1, 0, least, see);
  }
  /// Finds the ranges of samples that may exceed `least` somewhere in the box, in order. Adjacent
  /// ranges are merged.
  void above(const Box& box, double least, std::vector<SampleRange>& to) const;

 private:
  static constexpr std::size_t kChildren = 8;
  static constexpr double kFar = std::numeric_limits<double>::infinity();

  struct Node {
    Box box;
    double (*log_of)(double q);
    double height = -kFar;  ///< logarithm of the highest
    double variance = 0;    ///< the largest, along any direction
    /// Returns a bound on the logarithms of the node's kernels anywhere in the box.
    double most(const Box& at) const;
  };
  struct Child {
    double most;
    std::size_t node;
  };
  /// Visits the nodes of a level from `first` on: the whole top level, or the children of one node.
  template <class See>
  void search_level(const Box& box, std::size_t level, std::size_t first, double& least,
                    const See& see) const {
    std::array<Child, kChildren> few;
    const std::span<const Child> children = children_of(box, level, first, least, few);
    for (const Child& child : children) {
      if (!(child.most > least)) return;
      if (level > 0)
        search_level(box, level - 1, child.node * kChildren, least, see);
      else
        least = see(blocks_[child.node]);
    }
  }
  /// Returns the children above `least`, the largest first.
  std::span<const Child> children_of(const Box& box, std::size_t level, std::size_t first,
                                     double least, std::array<Child, kChildren>& room) const;
  void descend(const Box& box, double least, std::size_t level, std::size_t first,
               std::vector<SampleRange>& to) const;

  std::vector<SampleRange> blocks_;
  std::vector<std::vector<Node>> levels_;  ///< the leaves first
};

}  // namespace skde

#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "core/space.hpp"
#include "engines/cpu/ranges/kernel_points.hpp"
#include "engines/cpu/sample_range.hpp"

namespace skde {

/// A tree of boxes: leaves bound blocks of samples, every other box up to eight boxes. Each node
/// has an upper bound of the logarithms of its Gaussians, by distance. The search finds the samples
/// that count at a block of points, largest first, however far away all of them are.
class NearestBoxes {
 public:
  /// `logs` are the logarithms of the samples' heights, in the order of `samples`. The ellipsoids
  /// of `samples` must span one deviation. Both arguments must outlive this object.
  NearestBoxes(const KernelPoints& samples, std::span<const double> logs);

  /// Calls see(range) for blocks of samples, those with the largest upper bound first. see()
  /// returns a bound; blocks whose Gaussians are below it everywhere in the box are skipped.
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
    double height = -kFar;  ///< logarithm of the largest height
    double rate = 0;        ///< 0.5 / (largest variance)
    /// An upper bound of the logarithms of the node's Gaussians, anywhere in the box.
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

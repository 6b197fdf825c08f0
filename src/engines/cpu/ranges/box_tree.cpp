#include "engines/cpu/ranges/box_tree.hpp"

#include <algorithm>

namespace skde {
namespace {

constexpr std::size_t kBoxSamples = 32, kChildren = 8;

Box about(const Box& a, const Box& b) {
  return {{std::min(a.lower.x, b.lower.x), std::min(a.lower.y, b.lower.y),
           std::min(a.lower.z, b.lower.z)},
          {std::max(a.upper.x, b.upper.x), std::max(a.upper.y, b.upper.y),
           std::max(a.upper.z, b.upper.z)}};
}

}  // namespace

double squared_distance(const Box& a, const Box& b) {
  double sum = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const double gap =
        std::max({0.0, a.lower[axis] - b.upper[axis], b.lower[axis] - a.upper[axis]});
    sum += gap * gap;
  }
  return sum;
}

BoxTree::BoxTree(const KernelPoints& points) : blocks_(points.blocks(kBoxSamples)), levels_(1) {
  levels_[0].reserve(blocks_.size());
  for (const SampleRange& block : blocks_) levels_[0].push_back(points.reach_of(block));
  while (levels_.back().size() > kChildren) {
    const std::vector<Box>& children = levels_.back();
    std::vector<Box> parents;
    parents.reserve((children.size() + kChildren - 1) / kChildren);
    for (std::size_t first = 0; first < children.size(); first += kChildren) {
      Box box = children[first];
      for (std::size_t i = first; i < std::min(first + kChildren, children.size()); ++i)
        box = about(box, children[i]);
      parents.push_back(box);
    }
    levels_.push_back(std::move(parents));
  }
}

void BoxTree::ranges_near(const Box& box, double distance, std::vector<SampleRange>& to,
                          std::size_t after) const {
  to.clear();
  descend({box, distance * distance, after}, levels_.size() - 1, 0, to,
          [](std::size_t, std::size_t, double) {});
}

BoxTree::Weights BoxTree::sum_weights(std::span<const double> weights) const {
  Weights sums(levels_.size());
  for (const SampleRange& block : blocks_) {
    double sum = 0;
    for (std::size_t i = block.first; i < block.last; ++i) sum += weights[i];
    sums[0].push_back(sum);
  }
  for (std::size_t level = 1; level < sums.size(); ++level) {
    sums[level].resize(levels_[level].size());
    for (std::size_t i = 0; i < sums[level - 1].size(); ++i)
      sums[level][i / kChildren] += sums[level - 1][i];
  }
  return sums;
}

void BoxTree::ranges_near(const Box& box, double distance, const Weights& weights,
                          std::vector<SampleRange>& to, FarWeights& far) const {
  to.clear();
  descend({box, distance * distance, 0}, levels_.size() - 1, 0, to,
          [&](std::size_t level, std::size_t i, double squared) {
            far.add(squared, weights[level][i]);
          });
}

/// Visits the boxes of a level from `first` on: the whole top level, or the children of one box.
template <class SeeFar>
void BoxTree::descend(const Near& near, std::size_t level, std::size_t first,
                      std::vector<SampleRange>& to, const SeeFar& see_far) const {
  constexpr int kBits = 3;  // of a child's number
  static_assert(kChildren == std::size_t{1} << kBits);
  const std::vector<Box>& boxes = levels_[level];
  for (std::size_t i = first; i < std::min(first + kChildren, boxes.size()); ++i) {
    const std::size_t end = std::min((i + 1) << (kBits * level), blocks_.size());
    if (blocks_[end - 1].last <= near.after) continue;
    const double apart = squared_distance(near.box, boxes[i]);
    if (!(apart <= near.squared))
      see_far(level, i, apart);
    else if (level > 0)
      descend(near, level - 1, i * kChildren, to, see_far);
    else if (!to.empty() && to.back().last == blocks_[i].first)
      to.back().last = blocks_[i].last;
    else
      to.push_back(blocks_[i]);
  }
}

}  // namespace skde

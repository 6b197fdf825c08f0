#include "engines/cpu/ranges/box_tree.hpp"

#include <algorithm>

namespace skde {
namespace {

constexpr std::size_t kBoxSamples = 32, kChildren = 8;

double squared_distance(const Box& a, const Box& b) {
  double sum = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const double gap =
        std::max({0.0, a.lower[axis] - b.upper[axis], b.lower[axis] - a.upper[axis]});
    sum += gap * gap;
  }
  return sum;
}

Box about(const Box& a, const Box& b) {
  return {{std::min(a.lower.x, b.lower.x), std::min(a.lower.y, b.lower.y),
           std::min(a.lower.z, b.lower.z)},
          {std::max(a.upper.x, b.upper.x), std::max(a.upper.y, b.upper.y),
           std::max(a.upper.z, b.upper.z)}};
}

}  // namespace

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

void BoxTree::ranges_near(const Box& box, double distance, std::vector<SampleRange>& to) const {
  to.clear();
  descend(box, distance * distance, levels_.size() - 1, 0, to);
}

/// Visits the boxes of a level from `first` on: the whole top level, or the children of one box.
void BoxTree::descend(const Box& box, double squared, std::size_t level, std::size_t first,
                      std::vector<SampleRange>& to) const {
  const std::vector<Box>& boxes = levels_[level];
  for (std::size_t i = first; i < std::min(first + kChildren, boxes.size()); ++i) {
    if (!(squared_distance(box, boxes[i]) <= squared)) continue;
    if (level > 0)
      descend(box, squared, level - 1, i * kChildren, to);
    else if (!to.empty() && to.back().last == blocks_[i].first)
      to.back().last = blocks_[i].last;
    else
      to.push_back(blocks_[i]);
  }
}

}  // namespace skde

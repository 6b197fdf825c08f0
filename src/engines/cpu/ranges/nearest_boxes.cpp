#include "engines/cpu/ranges/nearest_boxes.hpp"

#include <algorithm>

#include "engines/cpu/ranges/box_tree.hpp"

namespace skde {
namespace {

constexpr std::size_t kBlockSamples = 32;

/// Returns a bound on the squared half axes of a kernel's ellipsoid q = 1: the trace of its matrix.
double most_variance(const Ellipsoid<double>& e) { return e.rx * e.rx + e.ry * e.ry + e.sz * e.sz; }

}  // namespace

double NearestBoxes::Node::most(const Box& at) const {
  // The slack keeps rounding of places from skipping a sample that counts.
  constexpr double kSlack = 1e-9;
  return height + kSlack + log_of((1 - kSlack) * squared_distance(box, at) / variance);
}

NearestBoxes::NearestBoxes(const KernelPoints& samples, std::span<const double> logs,
                           double (*log_of)(double q))
    : blocks_(samples.blocks(kBlockSamples)), levels_(1) {
  for (const SampleRange& block : blocks_) {
    Node node{samples.box_of(block), log_of};
    node.variance = samples.ellipsoids().empty() ? 1 : 0;
    for (std::size_t i = block.first; i < block.last; ++i) {
      node.height = std::max(node.height, logs[i]);
      if (!samples.ellipsoids().empty())
        node.variance = std::max(node.variance, most_variance(samples.ellipsoids()[i]));
    }
    levels_[0].push_back(node);
  }
  while (levels_.back().size() > kChildren) {
    const std::vector<Node>& children = levels_.back();
    std::vector<Node> parents;
    for (std::size_t first = 0; first < children.size(); first += kChildren) {
      Node node = children[first];
      for (std::size_t i = first; i < std::min(first + kChildren, children.size()); ++i) {
        for (int axis = 0; axis < 3; ++axis) {
          node.box.lower[axis] = std::min(node.box.lower[axis], children[i].box.lower[axis]);
          node.box.upper[axis] = std::max(node.box.upper[axis], children[i].box.upper[axis]);
        }
        node.height = std::max(node.height, children[i].height);
        node.variance = std::max(node.variance, children[i].variance);
      }
      parents.push_back(node);
    }
    levels_.push_back(std::move(parents));
  }
}

std::span<const NearestBoxes::Child> NearestBoxes::children_of(
    const Box& box, std::size_t level, std::size_t first, double least,
    std::array<Child, kChildren>& room) const {
  const std::vector<Node>& nodes = levels_[level];
  std::size_t count = 0;
  for (std::size_t i = first; i < std::min(first + kChildren, nodes.size()); ++i) {
    const double most = nodes[i].most(box);
    if (most > least) room[count++] = {most, i};
  }
  const std::span<Child> found(room.data(), count);
  std::ranges::sort(found, std::ranges::greater{}, &Child::most);
  return found;
}

void NearestBoxes::above(const Box& box, double least, std::vector<SampleRange>& to) const {
  to.clear();
  descend(box, least, levels_.size() - 1, 0, to);
}

void NearestBoxes::descend(const Box& box, double least, std::size_t level, std::size_t first,
                           std::vector<SampleRange>& to) const {
  const std::vector<Node>& nodes = levels_[level];
  for (std::size_t i = first; i < std::min(first + kChildren, nodes.size()); ++i) {
    if (!(nodes[i].most(box) > least)) continue;
    if (level > 0)
      descend(box, least, level - 1, i * kChildren, to);
    else if (!to.empty() && to.back().last == blocks_[i].first)
      to.back().last = blocks_[i].last;
    else
      to.push_back(blocks_[i]);
  }
}

}  // namespace skde

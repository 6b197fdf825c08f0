#include "bench/report/label_placement.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <numeric>

namespace skde::bench {
namespace {

constexpr int kDirections = 16;
constexpr double kRingStep = 6;  // pixels between the rings on which a place is sought
constexpr double kLabelGap = 2;  // pixels between labels

/// Labels that touch each other and move together.
struct Cluster {
  double sum = 0;  ///< of the wanted centres of the first label, one wish from each
  std::size_t count = 0;
  double first() const { return sum / static_cast<double>(count); }
};

/// The box at this angle (0: to the right, clockwise) with its near edge `distance` from the
/// anchor.
Box box_at(const LabelAnchor& anchor, double angle, double distance) {
  const double along = std::cos(angle), down = std::sin(angle);
  const double x = anchor.x + distance * along + (along - 1) * 0.5 * anchor.width;
  const double y = anchor.y + distance * down + (down - 1) * 0.5 * anchor.height;
  return {x, y, anchor.width, anchor.height};
}

bool inside(const Box& box, const Box& area) {
  return box.x >= area.x && box.y >= area.y && box.right() <= area.right() &&
         box.bottom() <= area.bottom();
}

bool is_free(const Box& box, const std::vector<Box>& taken) {
  return std::ranges::none_of(taken, [&](const Box& other) { return overlap(box, other); });
}

/// The nearest free place around the anchor; right and left before above and below.
Box free_box(const LabelAnchor& anchor, double radius, const Box& area,
             const std::vector<Box>& taken) {
  static constexpr int kOrder[kDirections] = {0, 8, 15, 1, 9, 7, 14, 2, 10, 6, 12, 4, 13, 3, 11, 5};
  const double nearest = radius + kLabelGap, furthest = std::hypot(area.width, area.height);
  for (int ring = 0; nearest + ring * kRingStep < furthest; ++ring)
    for (const int direction : kOrder) {
      const double distance = nearest + ring * kRingStep;
      const Box box = box_at(anchor, direction * 2 * std::numbers::pi / kDirections, distance);
      if (inside(box, area) && is_free(box, taken)) return box;
    }
  return {anchor.x, anchor.y, 0, 0};
}

}  // namespace

bool overlap(const Box& a, const Box& b) {
  return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom();
}

std::vector<double> push_apart(const std::vector<double>& wanted, double height, double lower,
                               double upper) {
  std::vector<std::size_t> order(wanted.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return wanted[i]; });
  // With i * height taken off, "no nearer than height" becomes "not below the one before", which
  // pooling adjacent violators solves.
  std::vector<Cluster> clusters;
  for (std::size_t i = 0; i < order.size(); ++i) {
    clusters.push_back({wanted[order[i]] - static_cast<double>(i) * height, 1});
    while (clusters.size() > 1 && clusters.back().first() < clusters[clusters.size() - 2].first()) {
      clusters[clusters.size() - 2].sum += clusters.back().sum;
      clusters[clusters.size() - 2].count += clusters.back().count;
      clusters.pop_back();
    }
  }
  const double first = lower + height / 2;
  const double last = upper - height / 2 - static_cast<double>(order.size() - 1) * height;
  std::vector<double> centres(wanted.size());
  std::size_t i = 0;
  for (const Cluster& cluster : clusters)
    for (std::size_t n = 0; n < cluster.count; ++n, ++i)
      centres[order[i]] =
          std::max(first, std::min(cluster.first(), last)) + static_cast<double>(i) * height;
  return centres;
}

std::vector<Box> place_beside(const std::vector<LabelAnchor>& anchors, double radius,
                              const Box& area, const std::vector<Box>& obstacles) {
  std::vector<Box> taken = obstacles, boxes;
  for (const LabelAnchor& anchor : anchors)
    taken.push_back({anchor.x - radius, anchor.y - radius, 2 * radius, 2 * radius});
  for (const LabelAnchor& anchor : anchors) {
    boxes.push_back(free_box(anchor, radius, area, taken));
    if (boxes.back().width > 0) taken.push_back(boxes.back());
  }
  return boxes;
}

}  // namespace skde::bench

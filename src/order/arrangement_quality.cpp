#include "order/arrangement_quality.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace skde {
namespace {

/// Sums over pairs of neighbours along one axis.
struct PairSums {
  double pairs = 0, distances = 0, differences = 0, squares = 0;

  void add(const float* a, const float* b, std::size_t columns) {
    double squared = 0;
    for (std::size_t c = 0; c < columns; ++c) {
      const double difference = static_cast<double>(a[c]) - static_cast<double>(b[c]);
      differences += std::abs(difference);
      squared += difference * difference;
    }
    squares += squared;
    distances += std::sqrt(squared);
    ++pairs;
  }
  void add(const PairSums& other) {
    pairs += other.pairs;
    distances += other.distances;
    differences += other.differences;
    squares += other.squares;
  }
  double variance(std::size_t columns) const {
    const double count = pairs * static_cast<double>(columns);
    if (count == 0) return 0;
    const double mean = differences / count;
    return std::max(0.0, squares / count - mean * mean);
  }
};

}  // namespace

ArrangementQuality arrangement_quality(std::span<const float> values, std::size_t columns,
                                       std::span<const std::uint32_t> item_at, std::size_t width) {
  if (width == 0) return {};
  const std::size_t height = item_at.size() / width;
  std::vector<std::array<PairSums, 2>> rows(height);  // added in order, whatever the threads
#pragma omp parallel for schedule(static)
  for (std::size_t y = 0; y < height; ++y)
    for (std::size_t x = 0; x < width; ++x) {
      const auto add = [&](std::size_t axis, std::size_t other) {
        const std::uint32_t item = item_at[y * width + x], next = item_at[other];
        if (item == kNoItem || next == kNoItem) return;
        rows[y][axis].add(&values[item * columns], &values[next * columns], columns);
      };
      if (x + 1 < width) add(0, y * width + x + 1);
      if (y + 1 < height) add(1, (y + 1) * width + x);
    }
  std::array<PairSums, 2> sums;
  for (const auto& row : rows)
    for (std::size_t axis = 0; axis < 2; ++axis) sums[axis].add(row[axis]);
  ArrangementQuality quality;
  quality.variance = (sums[0].variance(columns) + sums[1].variance(columns)) / 2;
  const double pairs = sums[0].pairs + sums[1].pairs;
  if (pairs > 0) quality.distance = (sums[0].distances + sums[1].distances) / pairs;
  return quality;
}

}  // namespace skde

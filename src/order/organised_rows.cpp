#include "order/organised_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>

#include "order/curve_codes.hpp"
#include "order/sorted_order.hpp"

namespace skde {
namespace {

/// The mean and the variance of a column.
struct Spread {
  double mean = 0, variance = 0;
};

Spread spread_of(const RowSelection& rows, std::size_t column) {
  const std::size_t count = rows.values.size() / rows.columns;
  Spread spread;
  if (count == 0) return spread;
  for (std::size_t i = 0; i < count; ++i) spread.mean += rows.values[i * rows.columns + column];
  spread.mean /= static_cast<double>(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double off = rows.values[i * rows.columns + column] - spread.mean;
    spread.variance += off * off;
  }
  spread.variance /= static_cast<double>(count);
  return spread;
}

double share_of(double variance) { return variance > 0 ? 1 / std::sqrt(variance) : 0; }

std::vector<std::uint32_t> curve_order(const ArrangementRequest& request) {
  const std::size_t columns = request.columns, items = request.values.size() / columns;
  std::vector<double> xyz(3 * items);
  for (std::size_t i = 0; i < items; ++i)
    for (std::size_t axis = 0; axis < std::min<std::size_t>(3, columns); ++axis)
      xyz[3 * i + axis] = static_cast<double>(request.values[i * columns + axis]);
  return items == 0 ? std::vector<std::uint32_t>{}
                    : sorted_order(curve_codes(xyz, box_of(xyz), Curve::morton));
}

/// A single such value would spoil the spread of its column, and so all rows.
void require_finite(const RowSelection& rows) {
  for (const std::vector<std::size_t>& columns : {rows.positions, rows.others})
    for (std::size_t i = 0; i < rows.values.size() / rows.columns; ++i)
      for (const std::size_t column : columns)
        if (!std::isfinite(rows.values[i * rows.columns + column])) refuse_row(i);
}

}  // namespace

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

std::vector<float> comparable_values(const RowSelection& rows) {
  require_finite(rows);
  std::vector<Spread> spreads;
  for (const std::size_t column : rows.positions) spreads.push_back(spread_of(rows, column));
  double variance = 0;
  for (const Spread& spread : spreads)
    variance += spread.variance / static_cast<double>(rows.positions.size());
  std::vector<double> scales(rows.positions.size(), share_of(variance));
  std::vector<std::size_t> all = rows.positions;
  for (const std::size_t column : rows.others) {
    all.push_back(column);
    spreads.push_back(spread_of(rows, column));
    scales.push_back(share_of(spreads.back().variance));
  }
  const std::size_t count = rows.values.size() / rows.columns;
  std::vector<float> values(count * all.size());
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t c = 0; c < all.size(); ++c)
      values[i * all.size() + c] = static_cast<float>(
          (rows.values[i * rows.columns + all[c]] - spreads[c].mean) * scales[c]);
  return values;
}

std::vector<std::uint32_t> filling_rows(std::span<const double> masses) {
  const std::size_t count = masses.size();
  auto side = static_cast<std::size_t>(std::sqrt(static_cast<double>(count)));
  while (side * side > count) --side;
  const std::size_t kept = side * (side + 1) <= count ? side * (side + 1) : side * side;
  std::vector<std::uint32_t> rows(count);
  std::iota(rows.begin(), rows.end(), 0u);
  std::ranges::stable_sort(rows, std::greater<>(), [&](std::uint32_t row) { return masses[row]; });
  rows.resize(kept);
  std::ranges::sort(rows);
  return rows;
}

OrganisedRows organised(const ArrangementRequest& request, Progress& progress) {
  OrganisedRows found;
  found.arrangement = arranged(request, progress);
  Arrangement& grid = found.arrangement;
  const auto quality = [&](std::span<const std::uint32_t> order) {
    return arrangement_quality(request.values, request.columns, order, grid.width);
  };
  std::vector<std::uint32_t> order(grid.item_at.size(), kNoItem);
  std::iota(order.begin(),
            order.begin() + static_cast<std::ptrdiff_t>(request.values.size() / request.columns),
            0u);
  found.before = quality(order);
  std::ranges::copy(curve_order(request), order.begin());
  found.by_curve = quality(order);
  found.after = quality(grid.item_at);
  found.is_curve = found.by_curve.distance < found.after.distance;
  if (found.is_curve) {
    grid.item_at = std::move(order);
    found.after = found.by_curve;
  }
  return found;
}

}  // namespace skde

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "bench/fit/smaller_volumes.hpp"

namespace skde::bench {
namespace {

using Dims = std::array<std::int64_t, 3>;

/// A weighted sum of a few numbers along an axis.
struct Taps {
  std::int64_t first = 0;
  std::vector<double> weights;
};

/// The mean over each of `boxes` equal parts of `cells` cells.
std::vector<Taps> means_of(std::int64_t cells, std::int64_t boxes) {
  std::vector<Taps> all;
  const double length = static_cast<double>(cells) / static_cast<double>(boxes);
  for (std::int64_t box = 0; box < boxes; ++box) {
    const double begin = length * static_cast<double>(box), end = begin + length;
    Taps taps{static_cast<std::int64_t>(begin), {}};
    for (std::int64_t cell = taps.first; cell < cells; ++cell) {
      const auto at = static_cast<double>(cell);
      const double part = std::min(end, at + 1) - std::max(begin, at);
      if (part <= 1e-9 && !taps.weights.empty()) break;
      taps.weights.push_back(std::max(part, 0.0) / length);
    }
    all.push_back(std::move(taps));
  }
  return all;
}

/// The linear interpolation of `boxes` numbers at the centres of `cells` cells.
std::vector<Taps> interpolation_of(std::int64_t cells, std::int64_t boxes) {
  std::vector<Taps> all;
  const double length = static_cast<double>(boxes) / static_cast<double>(cells);
  for (std::int64_t cell = 0; cell < cells; ++cell) {
    const double at = std::clamp(length * (static_cast<double>(cell) + 0.5) - 0.5, 0.0,
                                 static_cast<double>(boxes - 1));
    const auto first =
        std::min(static_cast<std::int64_t>(at), std::max<std::int64_t>(boxes - 2, 0));
    const double rest = at - static_cast<double>(first);
    all.push_back({first, boxes > 1 ? std::vector{1 - rest, rest} : std::vector{1.0}});
  }
  return all;
}

/// Replaces the numbers along an axis by such sums of them.
std::vector<double> along(const std::vector<double>& from, Dims& dims, std::size_t axis,
                          const std::vector<Taps>& taps) {
  const std::int64_t inner = axis == 0 ? 1 : axis == 1 ? dims[0] : dims[0] * dims[1];
  const std::int64_t length = dims[axis], outer = std::ssize(from) / (inner * length);
  std::vector<double> to;
  to.reserve(static_cast<std::size_t>(inner * outer) * taps.size());
  for (std::int64_t o = 0; o < outer; ++o)
    for (const Taps& one : taps)
      for (std::int64_t i = 0; i < inner; ++i) {
        double sum = 0;
        for (std::size_t k = 0; k < one.weights.size(); ++k)
          sum += one.weights[k] *
                 from[static_cast<std::size_t>(
                     (o * length + one.first + static_cast<std::int64_t>(k)) * inner + i)];
        to.push_back(sum);
      }
  dims[axis] = static_cast<std::int64_t>(taps.size());
  return to;
}

/// As many boxes along each side as let their product be at most `numbers`.
Dims boxes_of(const Dims& dims, std::size_t numbers) {
  const auto product = [](const Dims& d) { return static_cast<double>(d[0] * d[1] * d[2]); };
  double scale = std::cbrt(static_cast<double>(numbers) / product(dims));
  Dims boxes = dims;
  for (;; scale *= 0.999) {
    for (std::size_t axis = 0; axis < 3; ++axis)
      boxes[axis] =
          std::max<std::int64_t>(1, std::llround(scale * static_cast<double>(dims[axis])));
    if (product(boxes) <= static_cast<double>(numbers)) return boxes;
  }
}

}  // namespace

std::optional<SmallerVolume> reduced_volume(const Volume& volume, std::size_t numbers) {
  const Dims cells = volume.grid().dims;
  if (static_cast<std::int64_t>(numbers) >= volume.grid().cells()) return {};
  const Dims boxes = boxes_of(cells, numbers);
  std::vector<double> values =
      std::visit([](const auto& given) { return std::vector<double>(given.begin(), given.end()); },
                 volume.value_span());
  Dims dims = cells;
  for (std::size_t axis = 0; axis < 3; ++axis)
    values = along(values, dims, axis, means_of(cells[axis], boxes[axis]));
  const double bytes = static_cast<double>(sizeof(float) * values.size());
  for (double& value : values) value = static_cast<float>(value);
  for (std::size_t axis = 0; axis < 3; ++axis)
    values = along(values, dims, axis, interpolation_of(cells[axis], boxes[axis]));
  return SmallerVolume{{volume.grid(), std::move(values)}, bytes};
}

}  // namespace skde::bench

#include "analysis/answers/density_peaks.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/cloud/counter_random.hpp"
#include "core/report/error.hpp"

namespace skde {
namespace {

constexpr std::int32_t kNoPeak = -1;
using Cell = std::array<std::int64_t, 3>;
constexpr std::size_t kSelf = 13;  // the cell itself among itself and its neighbours

/// A maximum, and what it becomes.
struct Maximum {
  std::int64_t cell = 0;  ///< in the order of memory
  double height = 0, saddle = 0;
  std::int32_t joined =
      kNoPeak;  ///< a maximum whose basin is behind the saddle; none for the highest
};

/// The highest value at which cells of two basins touch.
struct Pass {
  std::int32_t low = 0, high = 0;
  double value = 0;
};

/// Values on a grid, and the maxima that steps upwards lead to.
template <class Real>
class Ascent {
 public:
  Ascent(std::span<const Real> values, const Grid& grid) : values_(values), grid_(grid) {
    for (std::int64_t step = 0; step < 27; ++step)
      offsets_[index(step)] =
          step % 3 - 1 + (step / 3 % 3 - 1) * grid.dims[0] + (step / 9 - 1) * slice();
  }

  /// Labels each cell above 0 with its maximum.
  void label(std::vector<std::int32_t>& labels, Progress& progress) {
    for (const Real value : values_) require_finite(static_cast<double>(value));
    std::vector<std::uint8_t> steps(labels.size());  // to the highest neighbour
    for_each_cell(progress, [&](const Cell& cell, std::int64_t at) {
      if (value(at) > 0) steps[index(at)] = highest_about(cell, at);
    });
    std::vector<std::int64_t> way;
    for (std::int64_t start = 0; start < grid_.cells(); ++start) {
      if (start % slice() == 0) progress.throw_if_cancelled();
      if (!(value(start) > 0)) continue;
      way.clear();
      std::int64_t at = start;
      while (labels[index(at)] == kNoPeak) {
        way.push_back(at);
        const std::int64_t next = at + offsets_[steps[index(at)]];
        if (next == at) {
          labels[index(at)] = add_maximum(at);
          break;
        }
        at = next;
      }
      for (const std::int64_t cell : way) labels[index(cell)] = labels[index(at)];
    }
  }
  /// Returns where basins touch, the highest pass first.
  std::vector<Pass> passes(const std::vector<std::int32_t>& labels, Progress& progress) const {
    std::vector<std::unordered_map<std::uint64_t, double>> of_slices(
        static_cast<std::size_t>(grid_.dims[2]));
    for_each_cell(progress, [&](const Cell& cell, std::int64_t at) {
      const std::int32_t own = labels[index(at)];
      if (own == kNoPeak) return;
      const bool inner = is_inner(cell);
      for (std::size_t step = 0; step < kSelf; ++step) {
        if (!inner && !has_neighbour(cell, step)) continue;
        const std::int64_t other = at + offsets_[step];
        const std::int32_t label = labels[index(other)];
        if (label == kNoPeak || label == own) continue;
        const auto [low, high] = std::minmax(own, label);
        const auto key = static_cast<std::uint64_t>(high) << 32 | static_cast<std::uint64_t>(low);
        double& pass = of_slices[index(cell[2])].try_emplace(key, 0).first->second;
        pass = std::max(pass, std::min(value(at), value(other)));
      }
    });
    std::unordered_map<std::uint64_t, double>& highest = of_slices[0];
    for (std::size_t k = 1; k < of_slices.size(); ++k)
      for (const auto& [key, pass] : of_slices[k]) {
        double& most = highest.try_emplace(key, 0).first->second;
        most = std::max(most, pass);
      }
    std::vector<Pass> all;
    all.reserve(highest.size());
    for (const auto& [key, pass] : highest)
      all.push_back({static_cast<std::int32_t>(key & 0xffffffffU),
                     static_cast<std::int32_t>(key >> 32), pass});
    std::ranges::sort(all, [](const Pass& a, const Pass& b) {
      return std::tuple(b.value, a.low, a.high) < std::tuple(a.value, b.low, b.high);
    });
    return all;
  }
  double value(std::int64_t cell) const { return static_cast<double>(values_[index(cell)]); }
  std::vector<Maximum>& maxima() { return maxima_; }

 private:
  static std::size_t index(std::int64_t cell) { return static_cast<std::size_t>(cell); }
  std::int64_t slice() const { return grid_.dims[0] * grid_.dims[1]; }
  /// Calls use(cell, its place in memory), some slices at a time in parallel.
  template <class Use>
  void for_each_cell(Progress& progress, const Use& use) const {
    constexpr std::int64_t kAtOnce = 16;
    for (std::int64_t first = 0; first < grid_.dims[2]; first += kAtOnce) {
      progress.throw_if_cancelled();
      progress.update(static_cast<std::uint64_t>(first));
#pragma omp parallel for schedule(dynamic)
      for (std::int64_t k = first; k < std::min(first + kAtOnce, grid_.dims[2]); ++k)
        for (std::int64_t j = 0; j < grid_.dims[1]; ++j)
          for (std::int64_t i = 0; i < grid_.dims[0]; ++i)
            use({i, j, k}, (k * grid_.dims[1] + j) * grid_.dims[0] + i);
    }
  }
  static void require_finite(double value) {
    if (!std::isfinite(value))
      throw Error(ErrorKind::input, fmt::format("a value of {} cannot be a density", value),
                  {{}, "check the program that wrote it"});
  }
  bool is_inner(const Cell& cell) const {
    return cell[0] > 0 && cell[1] > 0 && cell[2] > 0 && cell[0] + 1 < grid_.dims[0] &&
           cell[1] + 1 < grid_.dims[1] && cell[2] + 1 < grid_.dims[2];
  }
  /// Whether the neighbour at a step, in the order of memory, is in the grid.
  bool has_neighbour(const Cell& cell, std::size_t step) const {
    const std::array moved{step % 3, step / 3 % 3, step / 9};
    for (std::size_t a = 0; a < 3; ++a)
      if ((moved[a] == 0 && cell[a] == 0) || (moved[a] == 2 && cell[a] + 1 == grid_.dims[a]))
        return false;
    return true;
  }
  /// Of equal values, the one that comes last in memory is the highest.
  std::uint8_t highest_about(const Cell& cell, std::int64_t at) const {
    const bool inner = is_inner(cell);
    std::size_t best = kSelf;
    Real highest = values_[index(at)];
    for (std::size_t step = 0; step < offsets_.size(); ++step) {
      if (!inner && !has_neighbour(cell, step)) continue;
      const Real there = values_[index(at + offsets_[step])];
      if (there < highest || (there == highest && step < best)) continue;
      highest = there;
      best = step;
    }
    return static_cast<std::uint8_t>(best);
  }
  std::int32_t add_maximum(std::int64_t cell) {
    if (maxima_.size() == static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
      throw Error(ErrorKind::resources, "there are 2^31 maxima or more",
                  {{}, "choose a larger bandwidth"});
    maxima_.push_back({cell, value(cell)});
    return static_cast<std::int32_t>(maxima_.size() - 1);
  }

  std::span<const Real> values_;
  Grid grid_;
  std::array<std::int64_t, 27> offsets_;  ///< of a cell and its neighbours, in order of memory
  std::vector<Maximum> maxima_;
};

/// Joins basins from the highest pass down: at each, the lower of two maxima ends.
void join_basins(std::vector<Maximum>& maxima, const std::vector<Pass>& passes) {
  std::vector<std::int32_t> leaders(maxima.size());  // the highest maximum of what is joined so far
  std::iota(leaders.begin(), leaders.end(), 0);
  const auto leader_of = [&](std::int32_t label) {
    auto& all = leaders;
    while (all[static_cast<std::size_t>(label)] != label)
      label = all[static_cast<std::size_t>(label)] =
          all[static_cast<std::size_t>(all[static_cast<std::size_t>(label)])];
    return label;
  };
  const auto is_lower = [&](std::int32_t a, std::int32_t b) {
    const Maximum &first = maxima[static_cast<std::size_t>(a)],
                  &second = maxima[static_cast<std::size_t>(b)];
    return std::pair(first.height, first.cell) < std::pair(second.height, second.cell);
  };
  for (const Pass& pass : passes) {
    std::int32_t low = leader_of(pass.low), high = leader_of(pass.high), behind = pass.high;
    if (low == high) continue;
    if (is_lower(high, low)) {
      std::swap(low, high);
      behind = pass.low;
    }
    Maximum& ended = maxima[static_cast<std::size_t>(low)];
    ended.saddle = pass.value;
    ended.joined = behind;
    leaders[static_cast<std::size_t>(low)] = high;
  }
}

/// Returns the peak of each maximum, and fills `found` with those that are kept, the highest first.
std::vector<std::int32_t> keep_peaks(std::vector<Maximum>& maxima, const KeepsPeak& keeps,
                                     std::vector<Maximum>& kept) {
  std::vector<std::int32_t> order(maxima.size()), peaks(maxima.size(), kNoPeak);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, [&](std::int32_t a, std::int32_t b) {
    const Maximum &first = maxima[static_cast<std::size_t>(a)],
                  &second = maxima[static_cast<std::size_t>(b)];
    return std::pair(first.height, first.cell) > std::pair(second.height, second.cell);
  });
  for (const std::int32_t label : order) {
    Maximum& one = maxima[static_cast<std::size_t>(label)];
    if (!kept.empty() && !(one.height > one.saddle && keeps(one.height, one.saddle, maxima.size())))
      continue;
    peaks[static_cast<std::size_t>(label)] = static_cast<std::int32_t>(kept.size());
    kept.push_back(one);
    one.joined = kNoPeak;
  }
  for (std::size_t label = 0; label < maxima.size(); ++label) {
    std::size_t at = label;
    while (maxima[at].joined != kNoPeak) {  // the way to a peak gets shorter by every use
      auto& next = maxima[at].joined;
      if (const auto after = maxima[static_cast<std::size_t>(next)].joined; after != kNoPeak)
        next = after;
      at = static_cast<std::size_t>(next);
    }
    peaks[label] = peaks[at];
  }
  return peaks;
}

/// Moves a peak from the middle of its cell to the maximum of the parabola through the 27 values
/// about it, at most a cell away; not along axes where the cell is at a face of the grid.
void refine(DensityPeak& peak, const Volume& volume, Cell cell) {
  const Grid& grid = volume.grid();
  std::array<bool, 3> inner{};
  for (std::size_t a = 0; a < 3; ++a) inner[a] = cell[a] > 0 && cell[a] + 1 < grid.dims[a];
  const auto value = [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    return volume.at(cell[0] + i, cell[1] + j, cell[2] + k);
  };
  const auto step = [&](int axis, int sign) {
    return value(axis == 0 ? sign : 0, axis == 1 ? sign : 0, axis == 2 ? sign : 0);
  };
  const auto mixed = [&](int a, int b) {
    if (!inner[static_cast<std::size_t>(a)] || !inner[static_cast<std::size_t>(b)]) return 0.0;
    const auto at = [&](int s, int t) {
      std::array<int, 3> d{};
      d[static_cast<std::size_t>(a)] = s;
      d[static_cast<std::size_t>(b)] = t;
      return value(d[0], d[1], d[2]);
    };
    return (at(1, 1) - at(1, -1) - at(-1, 1) + at(-1, -1)) / 4;
  };
  Vec3 slope{}, bend{-1, -1, -1};
  for (int axis = 0; axis < 3; ++axis) {
    if (!inner[static_cast<std::size_t>(axis)]) continue;
    slope[axis] = (step(axis, 1) - step(axis, -1)) / 2;
    bend[axis] = step(axis, 1) - 2 * peak.cell_height + step(axis, -1);
  }
  const Symmetric3 down{-bend.x, -mixed(0, 1), -mixed(0, 2), -bend.y, -mixed(1, 2), -bend.z};
  if (!is_positive_definite(down)) return;
  const Vec3 offset = times(inverse(down), slope);
  if (std::max({std::abs(offset.x), std::abs(offset.y), std::abs(offset.z)}) > 1) return;
  for (int axis = 0; axis < 3; ++axis) peak.place[axis] += offset[axis] * grid.spacing[axis];
  peak.height += 0.5 * (slope.x * offset.x + slope.y * offset.y + slope.z * offset.z);
}

}  // namespace

Vec3 times(const Symmetric3& m, Vec3 v) {
  return {m.xx * v.x + m.xy * v.y + m.xz * v.z, m.xy * v.x + m.yy * v.y + m.yz * v.z,
          m.xz * v.x + m.yz * v.y + m.zz * v.z};
}

Symmetric3 outer(Vec3 v) {
  return {v.x * v.x, v.x * v.y, v.x * v.z, v.y * v.y, v.y * v.z, v.z * v.z};
}

Symmetric3 inverse(const Symmetric3& m) {
  const Eigen3 eigen = eigen_decomposition(m);
  Symmetric3 sum{};
  for (std::size_t k = 0; k < 3; ++k) sum = sum + (1 / eigen.values[k]) * outer(eigen.vectors[k]);
  return sum;
}

KeepsPeak by_prominence(double share, double highest) {
  return
      [=](double height, double saddle, std::size_t) { return height - saddle >= share * highest; };
}

KeepsPeak by_significance(double significance, double squared_kernel, double effective_samples) {
  return [=](double height, double saddle, std::size_t maxima) {
    const double quantile = -normal_quantile(significance / static_cast<double>(maxima));
    const double variance = (height + saddle) * squared_kernel / effective_samples;
    return height - saddle > quantile * std::sqrt(variance);
  };
}

DensityPeaks density_peaks(const Volume& volume, const KeepsPeak& keeps, Progress& progress) {
  const Grid& grid = volume.grid();
  DensityPeaks found;
  found.basins.assign(static_cast<std::size_t>(grid.cells()), kNoPeak);
  const auto slices = static_cast<std::uint64_t>(grid.dims[2]);
  std::visit(
      [&](auto values) {
        Ascent ascent(values, grid);
        progress.begin("maxima", slices, "slices");
        ascent.label(found.basins, progress);
        std::vector<Maximum>& maxima = ascent.maxima();
        if (maxima.empty())
          throw Error(
              ErrorKind::input, "no value is above 0, so there is no peak",
              {"bounds", "estimate the density in a box that holds samples, with `bounds`"});
        progress.begin("saddles", slices, "slices");
        join_basins(maxima, ascent.passes(found.basins, progress));
        std::vector<Maximum> kept;
        const std::vector<std::int32_t> peaks = keep_peaks(maxima, keeps, kept);
        found.left_out = static_cast<std::int64_t>(maxima.size() - kept.size());
        for (const Maximum& one : kept) {
          const Cell cell{one.cell % grid.dims[0], one.cell / grid.dims[0] % grid.dims[1],
                          one.cell / (grid.dims[0] * grid.dims[1])};
          DensityPeak peak{grid.centre(cell[0], cell[1], cell[2]), one.height, one.height,
                           one.saddle};
          refine(peak, volume, cell);
          found.peaks.push_back(peak);
        }
        for (std::size_t cell = 0; cell < found.basins.size(); ++cell) {
          std::int32_t& basin = found.basins[cell];
          if (basin == kNoPeak) continue;
          basin = peaks[static_cast<std::size_t>(basin)];
          if (basin == kNoPeak) continue;
          DensityPeak& peak = found.peaks[static_cast<std::size_t>(basin)];
          peak.mass += ascent.value(static_cast<std::int64_t>(cell)) * grid.cell_volume();
          ++peak.cells;
        }
      },
      volume.value_span());
  return found;
}

}  // namespace skde

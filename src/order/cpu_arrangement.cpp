#include <algorithm>
#include <cstring>

#include "core/report/thread_room.hpp"
#include "order/arrangement_steps.hpp"

namespace skde {
namespace {

using Four [[gnu::vector_size(16)]] = float;

Four four_at(const float* from) {
  Four four;
  std::memcpy(&four, from, sizeof four);
  return four;
}

/// The place within [0, size) that a blur takes for one up to size - 1 beyond the edges, which
/// reflect.
std::int64_t reflected(std::int64_t at, std::int64_t size) {
  if (at < 0) return -at;
  return at < size ? at : 2 * size - 2 - at;
}

/// Means along lines by running sums, so that their cost does not depend on the radius.
class CpuBlur {
 public:
  CpuBlur(const GridItems& grid, int threads)
      : grid_(grid), threads_(threads), across_(grid.values.size()), target_(grid.values.size()) {}

  const std::vector<float>& target() const { return target_; }

  void run(const ArrangementStep& step) {
    const auto height = static_cast<std::int64_t>(grid_.height);
    constexpr std::int64_t kStrip = 64;  // numbers; a strip of rows stays in a fast cache
    const auto row = static_cast<std::int64_t>(grid_.width) * grid_.columns;
#pragma omp parallel num_threads(threads_)
    {
#pragma omp for schedule(static)
      for (std::int64_t y = 0; y < height; ++y) blur_row(y, step.radius_x);
#pragma omp for schedule(static)
      for (std::int64_t first = 0; first < row; first += kStrip)
        blur_strip(first, std::min(kStrip, row - first), step.radius_y);
    }
  }

 private:
  void blur_row(std::int64_t y, std::int64_t radius) {
    const auto width = static_cast<std::int64_t>(grid_.width),
               columns = std::int64_t{grid_.columns};
    const auto values = [&](std::int64_t x) {
      const auto cell = static_cast<std::uint32_t>(y * width + reflected(x, width));
      return grid_.values.data() +
             std::size_t{filled_cell(cell, grid_.width, grid_.items)} * grid_.columns;
    };
    const float share = 1 / static_cast<float>(2 * radius + 1);
    for (std::int64_t column = 0; column < columns; column += 4) {
      Four sum{};
      for (std::int64_t x = -radius; x <= radius; ++x) sum += four_at(values(x) + column);
      float* to = across_.data() + y * width * columns + column;
      for (std::int64_t x = 0; x < width; ++x, to += columns) {
        const Four mean = sum * share;
        std::memcpy(to, &mean, sizeof mean);
        if (x + 1 == width) break;
        sum += four_at(values(x + radius + 1) + column) - four_at(values(x - radius) + column);
      }
    }
  }

  void blur_strip(std::int64_t first, std::int64_t count, std::int64_t radius) {
    const auto height = static_cast<std::int64_t>(grid_.height);
    const auto row = static_cast<std::int64_t>(grid_.width) * grid_.columns;
    const auto line = [&](std::int64_t y) {
      return across_.data() + reflected(y, height) * row + first;
    };
    const float share = 1 / static_cast<float>(2 * radius + 1);
    std::vector<float> sum(static_cast<std::size_t>(count));
    const auto size = static_cast<std::size_t>(count);
    for (std::int64_t y = -radius; y <= radius; ++y)
      for (std::size_t i = 0; i < size; ++i) sum[i] += line(y)[i];
    for (std::int64_t y = 0; y < height; ++y) {
      float* const to = target_.data() + y * row + first;
      for (std::size_t i = 0; i < size; ++i) to[i] = sum[i] * share;
      if (y + 1 == height) break;
      const float *const enters = line(y + radius + 1), *const leaves = line(y - radius);
      for (std::size_t i = 0; i < size; ++i) sum[i] += enters[i] - leaves[i];
    }
  }

  const GridItems& grid_;
  int threads_;
  std::vector<float> across_, target_;
};

/// Permutes the items of a group.
void assign_group(const GroupPass& pass, std::uint32_t group, const float* target,
                  GridItems& grid) {
  std::uint32_t cells[4];
  cells_of_group(pass, group, cells);
  const std::size_t columns = grid.columns;
  float* values[4];
  const float* wanted[4];
  for (std::size_t k = 0; k < 4; ++k) {
    values[k] = grid.values.data() + cells[k] * columns;
    wanted[k] = target + cells[k] * columns;
  }
  Four rows[4]{};  // scalar products; the squares of items and targets are the same in all
  for (std::size_t column = 0; column < columns; column += 4) {
    const Four a = four_at(wanted[0] + column), b = four_at(wanted[1] + column),
               c = four_at(wanted[2] + column), d = four_at(wanted[3] + column);
    const Four along[4]{{a[0], b[0], c[0], d[0]},
                        {a[1], b[1], c[1], d[1]},
                        {a[2], b[2], c[2], d[2]},
                        {a[3], b[3], c[3], d[3]}};
    for (std::size_t k = 0; k < 4; ++k) {
      const Four value = four_at(values[k] + column);
      rows[k] +=
          value[0] * along[0] + value[1] * along[1] + value[2] * along[2] + value[3] * along[3];
    }
  }
  float likeness[4][4];
  std::memcpy(likeness, rows, sizeof likeness);
  if (std::max({cells[0], cells[1], cells[2], cells[3]}) >= pass.items)
    forbid_empty_cells(cells, pass.items, likeness);
  const std::uint32_t best = best_permutation(likeness);
  if (best == kAllInPlace) return;
  for (std::size_t column = 0; column < columns; column += 4) {
    Four moved[4];
    for (std::size_t k = 0; k < 4; ++k) moved[k] = four_at(values[k] + column);
    for (std::uint32_t k = 0; k < 4; ++k)
      std::memcpy(values[k] + column, &moved[item_for(best, k)], sizeof(Four));
  }
  std::uint32_t items[4];
  for (std::size_t k = 0; k < 4; ++k) items[k] = grid.item_at[cells[k]];
  for (std::uint32_t k = 0; k < 4; ++k) grid.item_at[cells[k]] = items[item_for(best, k)];
}

}  // namespace

void arrange_on_cpu(GridItems& grid, const std::vector<ArrangementStep>& steps, int threads,
                    Progress& progress) {
  // Seconds of a group on one thread, and more for each further four of the columns. A pass ends
  // with a barrier, so that threads must be worth their wake-up in each.
  constexpr double kGroup = 5e-8, kFour = 2.5e-8;
  const double pass_seconds = grid.items / 4.0 * (kGroup + kFour * (grid.columns / 4.0 - 1));
  const int used = threads_worth(pass_seconds, thread_count(threads));
  require_threads(used);
  CpuBlur blur(grid, used);
  progress.begin("arranging", steps.size(), "radii");
  std::uint64_t done = 0;
  for (const ArrangementStep& step : steps) {
    progress.throw_if_cancelled();
    blur.run(step);
#pragma omp parallel num_threads(used)
    for (const GroupPass& pass : step.passes) {
#pragma omp for schedule(static)
      for (std::int64_t group = 0; group < std::int64_t{pass.groups()}; ++group)
        assign_group(pass, static_cast<std::uint32_t>(group), blur.target().data(), grid);
    }
    progress.update(++done);
  }
}

}  // namespace skde

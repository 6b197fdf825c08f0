#include "order/arrangement.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "core/cloud/counter_random.hpp"
#include "core/report/error.hpp"
#include "order/arrangement_steps.hpp"
#include "system/stop_watch.hpp"
#if SKDE_HAS_CUDA
#include "gpu/device_info.hpp"
#endif

namespace skde {
namespace {

constexpr std::size_t kMostItems = std::size_t{1} << 31;

/// The mean of each column, and the scale that brings all deviations from it into [-1, 1].
struct Scaling {
  std::vector<double> means;
  double scale = 1;
};

/// Sums and extremes of the columns over some rows.
struct ColumnFacts {
  std::vector<double> sums;
  std::vector<float> lowest, highest;

  explicit ColumnFacts(std::size_t columns)
      : sums(columns),
        lowest(columns, std::numeric_limits<float>::max()),
        highest(columns, std::numeric_limits<float>::lowest()) {}

  void add_row(const float* row) {
    for (std::size_t c = 0; c < sums.size(); ++c) {
      sums[c] += static_cast<double>(row[c]);
      lowest[c] = std::min(lowest[c], row[c]);
      highest[c] = std::max(highest[c], row[c]);
    }
  }
  void add(const ColumnFacts& other) {
    for (std::size_t c = 0; c < sums.size(); ++c) {
      sums[c] += other.sums[c];
      lowest[c] = std::min(lowest[c], other.lowest[c]);
      highest[c] = std::max(highest[c], other.highest[c]);
    }
  }
};

/// Throws Error(input) that names the first row with a value that is not finite.
void require_finite(const ArrangementRequest& request, std::span<const ColumnFacts> parts) {
  for (const ColumnFacts& part : parts)
    for (const double sum : part.sums) {
      if (std::isfinite(sum)) continue;  // sums of floats in double do not overflow
      const auto wrong =
          std::ranges::find_if(request.values, [](float value) { return !std::isfinite(value); });
      const auto at = static_cast<std::size_t>(wrong - request.values.begin());
      refuse_row(at / request.columns);
    }
}

Scaling scaling_of(const ArrangementRequest& request) {
  constexpr std::size_t kRowsAtOnce = 8192;  // summed alone, so that threads change no digit
  const std::size_t columns = request.columns, items = request.values.size() / columns;
  std::vector<ColumnFacts> parts((items + kRowsAtOnce - 1) / kRowsAtOnce, ColumnFacts(columns));
#pragma omp parallel for schedule(static)
  for (std::size_t part = 0; part < parts.size(); ++part)
    for (std::size_t i = part * kRowsAtOnce; i < std::min(items, (part + 1) * kRowsAtOnce); ++i)
      parts[part].add_row(&request.values[i * columns]);
  require_finite(request, parts);
  ColumnFacts all(columns);
  for (const ColumnFacts& part : parts) all.add(part);
  Scaling scaling{std::move(all.sums), 1};
  double most = 0;
  for (std::size_t c = 0; c < columns && items > 0; ++c) {
    const double mean = scaling.means[c] /= static_cast<double>(items);
    most = std::max({most, static_cast<double>(all.highest[c]) - mean,
                     mean - static_cast<double>(all.lowest[c])});
  }
  if (most > 0) scaling.scale = 1 / most;
  return scaling;
}

/// Lays the items on the grid in random order.
GridItems laid_out(const ArrangementRequest& request) {
  const std::size_t columns = request.columns, items = request.values.size() / columns;
  const auto width = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(items))));
  const std::size_t height = width == 0 ? 0 : (items + width - 1) / width;
  GridItems grid;
  grid.width = static_cast<std::uint32_t>(width);
  grid.height = static_cast<std::uint32_t>(height);
  grid.items = static_cast<std::uint32_t>(items);
  grid.columns = static_cast<std::uint32_t>((columns + 3) / 4 * 4);
  grid.item_at.assign(width * height, kNoItem);
  grid.values.assign(width * height * grid.columns, 0);
  const Scaling scaling = scaling_of(request);
  const IndexBijection shuffled(items, request.seed);
#pragma omp parallel for schedule(static)
  for (std::size_t cell = 0; cell < items; ++cell) {
    const std::size_t item = shuffled(cell);
    grid.item_at[cell] = static_cast<std::uint32_t>(item);
    for (std::size_t c = 0; c < columns; ++c)
      grid.values[cell * grid.columns + c] = static_cast<float>(
          (static_cast<double>(request.values[item * columns + c]) - scaling.means[c]) *
          scaling.scale);
  }
  return grid;
}

/// Starts the GPU if it is to be used, and returns whether it is.
bool starts_gpu(ArrangementDevice device) {
#if SKDE_HAS_CUDA
  if (device == ArrangementDevice::cpu) return false;
  if (device == ArrangementDevice::automatic && !gpu::unavailable_reason().empty()) return false;
  start_cuda();
  return true;
#else
  if (device == ArrangementDevice::gpu)
    throw Error(ErrorKind::resources, "this build has no CUDA", {"engine", "use `engine=cpu`"});
  return false;
#endif
}

/// Takes all steps where the request wants it, and returns whether that was the GPU.
bool take_steps(GridItems& grid, const ArrangementRequest& request, [[maybe_unused]] bool gpu,
                Progress& progress) {
  const std::vector<ArrangementStep> steps = arrangement_steps(grid, request.seed);
#if SKDE_HAS_CUDA
  if (gpu && !steps.empty()) {
    const bool fits = cuda_takes(grid);
    if (!fits && request.device == ArrangementDevice::gpu)
      throw Error(ErrorKind::resources,
                  fmt::format("the GPU has no room for a grid of {} x {} cells and {} columns",
                              grid.width, grid.height, grid.columns),
                  {"engine", "use `engine=cpu`"});
    if (fits) {
      arrange_on_cuda(grid, steps, progress);
      return true;
    }
  }
#endif
  arrange_on_cpu(grid, steps, request.threads, progress);
  return false;
}

}  // namespace

void refuse_row(std::size_t row) {
  throw Error(ErrorKind::input, fmt::format("row {} (from 0) has a value that is not finite", row),
              {"values", "remove this row, as it is like no other"});
}

Arrangement arranged(const ArrangementRequest& request, Progress& progress) {
  if (request.columns == 0 || request.values.size() % request.columns != 0)
    throw std::logic_error("values to arrange are not rows of so many columns");
  if (request.values.size() / request.columns > kMostItems)
    throw Error(ErrorKind::resources,
                fmt::format("more than {} rows cannot be arranged", kMostItems),
                {{}, "use a part of them"});
  const bool gpu = starts_gpu(request.device);
  const StopWatch watch;
  GridItems grid = laid_out(request);
  Arrangement found;
  found.on_gpu = take_steps(grid, request, gpu, progress);
  found.width = grid.width;
  found.height = grid.height;
  found.item_at = std::move(grid.item_at);
  found.seconds = watch.seconds();
  return found;
}

}  // namespace skde

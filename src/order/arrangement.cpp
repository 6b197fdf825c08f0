#include "order/arrangement.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/cloud/index_bijection.hpp"
#include "core/report/error.hpp"
#include "order/arrangement_steps.hpp"
#if SKDE_HAS_CUDA
#include "gpu/device_info.hpp"
#endif

namespace skde {
namespace {

constexpr std::size_t kMostItems = std::size_t{1} << 31;

/// Throws Error(input) that names the first row with a value that is not finite.
void require_finite(const ArrangementRequest& request) {
  const auto wrong =
      std::ranges::find_if(request.values, [](float value) { return !std::isfinite(value); });
  if (wrong == request.values.end()) return;
  const auto at = static_cast<std::size_t>(wrong - request.values.begin());
  throw Error(ErrorKind::input,
              fmt::format("row {} has a value that is not finite", at / request.columns + 1),
              {{}, "remove this row, as it is like no other"});
}

/// The mean of each column, and the scale that brings all deviations from it into [-1, 1].
struct Scaling {
  std::vector<double> means;
  double scale = 1;
};

Scaling scaling_of(const ArrangementRequest& request) {
  const std::size_t columns = request.columns, items = request.values.size() / columns;
  Scaling scaling{std::vector<double>(columns), 1};
  for (std::size_t i = 0; i < request.values.size(); ++i)
    scaling.means[i % columns] += static_cast<double>(request.values[i]);
  for (double& mean : scaling.means) mean /= static_cast<double>(items);
  double most = 0;
  for (std::size_t i = 0; i < request.values.size(); ++i)
    most = std::max(most,
                    std::abs(static_cast<double>(request.values[i]) - scaling.means[i % columns]));
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

bool runs_on_cuda(ArrangementDevice device) {
#if SKDE_HAS_CUDA
  const std::string reason = gpu::unavailable_reason();
  if (device == ArrangementDevice::gpu && !reason.empty())
    throw Error(ErrorKind::resources, reason, {"engine", "use `engine=cpu`"});
  return device != ArrangementDevice::cpu && reason.empty();
#else
  if (device == ArrangementDevice::gpu)
    throw Error(ErrorKind::resources, "this build has no CUDA", {"engine", "use `engine=cpu`"});
  return false;
#endif
}

}  // namespace

Arrangement arranged(const ArrangementRequest& request, Progress& progress) {
  if (request.columns == 0 || request.values.size() % request.columns != 0)
    throw std::logic_error("values to arrange are not rows of so many columns");
  if (request.values.size() / request.columns > kMostItems)
    throw Error(ErrorKind::resources,
                fmt::format("more than {} items cannot be arranged", kMostItems));
  require_finite(request);
  GridItems grid = laid_out(request);
  const std::vector<ArrangementStep> steps = arrangement_steps(grid, request.seed);
#if SKDE_HAS_CUDA
  if (runs_on_cuda(request.device)) {
    arrange_on_cuda(grid, steps, progress);
    return {grid.width, grid.height, std::move(grid.item_at)};
  }
#else
  runs_on_cuda(request.device);
#endif
  arrange_on_cpu(grid, steps, request.threads, progress);
  return {grid.width, grid.height, std::move(grid.item_at)};
}

}  // namespace skde

#include "estimate/stream/sums_place.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <numbers>

#include "core/report/error.hpp"
#include "core/report/thread_room.hpp"
#include "engines/registry.hpp"
#include "system/host_memory.hpp"

namespace skde {
namespace {

bool names_engine_of(const DensityRequest& request, Device device) {
  return !request.is_automatic() && engine_entry(request.engine).traits.device == device;
}

/// True where the request wants GPUs, and nothing else will do.
bool names_gpu(const DensityRequest& request) {
  return request.device == Device::cuda || names_engine_of(request, Device::cuda);
}

bool names_cpu(const DensityRequest& request) {
  return request.device == Device::cpu || names_engine_of(request, Device::cpu);
}

/// Seconds of the CPU, whose threads add so many cells each (AVX-512).
double cpu_seconds(const DensityRequest& request, const PartialProblem& problem,
                   const SumsWork& work) {
  constexpr double kCellsPerSecond = 1.6e9;
  const Ellipsoid<double> e = problem.kernel.ellipsoid(problem.grid);
  const double cells = std::min(4 * std::numbers::pi / 3 * e.sx * e.sy * e.sz,
                                static_cast<double>(problem.grid.cells()));
  const int threads = thread_count(request.options.threads);
  return work.samples * cells / (kCellsPerSecond * threads);
}

/// What stands in the way of sums on these GPUs; empty where nothing does. Starts them.
std::string hindrance(const DensityRequest& request, const PartialProblem& problem,
                      const SumsWork& work) {
  const double needed = work.sharers * whole_sums_device_bytes(problem, work.slices);
  for (const int device : work.devices) {
    EngineOptions options;
    options.device = device;
    std::int64_t free = make_engine(integer_engine(Device::cuda), options)->free_memory();
    if (request.options.device_memory > 0) free = std::min(free, request.options.device_memory);
    if (needed > static_cast<double>(free))
      return fmt::format("sums of {} slices{} take {} on GPU {}, of which {} are free", work.slices,
                         work.sharers > 1 ? fmt::format(", by {} ranks,", work.sharers) : "",
                         format_bytes(needed), device, format_bytes(static_cast<double>(free)));
  }
  return "";
}

}  // namespace

bool sums_whole_numbers(const std::string& engine) {
  return engine.empty() || engine_entry(engine).traits.sums_integers;
}

std::vector<int> devices_for_sums(const DensityRequest& request, bool all) {
  if (names_cpu(request)) return {};
  if (!request.options.devices.empty()) return request.options.devices;
  if (names_gpu(request) && (!all || request.device == Device::cuda))
    return {request.options.device};
  std::vector<int> here = all_devices();
  if (!all && !here.empty()) here.erase(here.begin() + 1, here.end());
  return here;
}

WholeSumsPlace sums_place(const DensityRequest& request, const PartialProblem& problem,
                          const SumsWork& work) {
  constexpr double kWorthSeconds = 1;  // a device takes part of that to start
  WholeSumsPlace place{request.options.threads};
  if (names_cpu(request)) return place;
  if (!names_gpu(request)) {
    if (work.devices.empty() || cpu_seconds(request, problem, work) < kWorthSeconds ||
        !hindrance(request, problem, work).empty())
      return place;
  } else if (const std::string problem_there = hindrance(request, problem, work);
             !problem_there.empty()) {
    throw Error(
        ErrorKind::resources, problem_there,
        {"engine", fmt::format("use smaller `dims`, or `engine={}`", integer_engine(Device::cpu))});
  }
  place.devices = work.devices;
  return place;
}

}  // namespace skde

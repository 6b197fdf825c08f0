#include "cli/options/device_flag.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/report/error.hpp"
#include "core/report/number_list.hpp"
#include "engines/registry.hpp"

namespace skde::cli {
namespace {

/// Indices of GPUs, at least one.
std::vector<int> parse_devices(const std::string& given) {
  if (given == "all") {
    std::vector<int> all = all_devices();
    if (all.empty())
      throw Error(ErrorKind::resources, "there is no GPU that can be used", {"device", {}});
    return all;
  }
  std::vector<int> devices = parse_number_list<int>(given);
  std::vector<int> sorted = devices;
  std::ranges::sort(sorted);
  if (sorted.empty() || sorted.front() < 0 || std::ranges::adjacent_find(sorted) != sorted.end())
    throw Error(ErrorKind::usage,
                fmt::format("'{}' is no index of a GPU and no list of unlike ones", given),
                {{}, "write 0, or 0,1 for two GPUs, or all"});
  return devices;
}

}  // namespace

void add_device_flag(OptionTable& table, EngineOptions& options) {
  table.value({.name = "device",
               .value = "I,...|all",
               .help = "index of the GPU of a CUDA engine; several share the sums of cuda-span and "
                       "cuda-tile, whose values are the same bits whatever their number",
               .by_default = "0"},
              options.devices, [&options](const std::string& given) {
                std::vector<int> devices = parse_devices(given);
                options.device = devices.front();
                if (devices.size() == 1) devices.clear();
                return devices;
              });
}

}  // namespace skde::cli

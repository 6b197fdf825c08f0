#include "bench/measure/cuda_machine.hpp"

#include <fmt/format.h>

#include <fstream>
#include <regex>
#include <string>

#include "core/error.hpp"
#include "gpu/check.hpp"
#include "gpu/device_info.hpp"

namespace skde::bench {
namespace {

/// 12080 is 12.8.
std::string cuda_version(int number) {
  return fmt::format("{}.{}", number / 1000, number % 1000 / 10);
}

/// The kernel module's version; the CUDA version that it serves where that is not told.
std::string driver_version() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string line;
  std::smatch found;
  if (std::getline(file, line) && std::regex_search(line, found, std::regex(R"(\d+\.\d+(\.\d+)?)")))
    return found.str();
  int number = 0;
  gpu::check(cudaDriverGetVersion(&number), "read the driver's version");
  return "for CUDA " + cuda_version(number);
}

}  // namespace

void describe_gpu(int device, MachineRecord& machine) {
  machine.cuda = cuda_version(CUDART_VERSION);
  if (!gpu::unavailable_reason().empty()) return;
  gpu::select_device(device);
  const gpu::DeviceInfo info = gpu::device_info(device);
  machine.gpu = info.name;
  machine.gpu_memory = static_cast<double>(info.memory);
  machine.driver = driver_version();
}

}  // namespace skde::bench

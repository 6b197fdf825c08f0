#include "gpu/device_info.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <mutex>
#include <regex>

#include "core/report/error.hpp"
#include "gpu/check.hpp"
#include "gpu/device_buffer.hpp"

namespace skde::gpu {
namespace {

/// For example, 12080 is 12.8.
std::string version_text(int number) {
  return fmt::format("{}.{}", number / 1000, number % 1000 / 10);
}

}  // namespace

std::string unavailable_reason() {
  static std::atomic<bool> was_there = false;  // plans ask often
  if (was_there) return "";
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess) {
    cudaGetLastError();
    return fmt::format("no usable CUDA device: {}", cudaGetErrorString(status));
  }
  was_there = count > 0;
  return was_there ? "" : "no CUDA device";
}

int device_count() {
  int count = 0;
  if (cudaGetDeviceCount(&count) == cudaSuccess) return count;
  cudaGetLastError();
  return 0;
}

void select_device(int index) {
  if (const std::string reason = unavailable_reason(); !reason.empty())
    throw Error(ErrorKind::resources, reason);
  const int count = device_count();
  if (index < 0 || index >= count)
    throw Error(ErrorKind::resources,
                fmt::format("there is no CUDA device {}: there {} {}, counted from 0", index,
                            count == 1 ? "is" : "are", count),
                {"device", "choose one of these"});
  check(cudaSetDevice(index), "select the device");
}

DeviceInfo device_info(int index) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, index), "read the device's properties");
  std::size_t shared = properties.sharedMemPerBlockOptin;
  for (int other = device_count(); other-- > 0;) {
    int bytes = 0;
    check(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, other),
          "read the shared memory of a device");
    shared = std::min(shared, static_cast<std::size_t>(bytes));
  }
  return {properties.name, properties.multiProcessorCount, properties.totalGlobalMem, shared};
}

std::string cuda_version() { return version_text(CUDART_VERSION); }

std::string driver_version() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string line;
  std::smatch found;
  if (std::getline(file, line) && std::regex_search(line, found, std::regex(R"(\d+\.\d+(\.\d+)?)")))
    return found.str();
  int number = 0;
  check(cudaDriverGetVersion(&number), "read the driver's version");
  return "for CUDA " + version_text(number);
}

/// The driver takes longer to answer than the host to plan a density.
std::size_t free_memory() {
  using Clock = std::chrono::steady_clock;
  constexpr auto kHolds = std::chrono::milliseconds(100);
  struct Answer {
    int device = -1;
    std::uint64_t changes = 0;
    Clock::time_point at{};
    std::size_t available = 0;
  };
  static std::mutex mutex;
  static Answer last;
  const std::lock_guard lock(mutex);
  Answer now{0, DeviceMemoryChanges::count(), Clock::now()};
  check(cudaGetDevice(&now.device), "find the current device");
  if (now.device == last.device && now.changes == last.changes && now.at - last.at < kHolds)
    return last.available;
  std::size_t total = 0;
  check(cudaMemGetInfo(&now.available, &total), "read the free memory");
  last = now;
  return now.available;
}

}  // namespace skde::gpu

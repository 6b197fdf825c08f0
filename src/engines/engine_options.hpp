#pragma once

#include <cstdint>
#include <vector>

#include "core/report/words.hpp"

namespace skde {

/// Where an engine works.
enum class Device {
  cpu,   ///< on the cores of this process, values in host memory
  cuda,  ///< on GPUs
};

/// The names of the devices.
inline constexpr Words<Device, 2> kDevices{{{"cpu", Device::cpu}, {"cuda", Device::cuda}}};

/// The machine that engines work on.
struct EngineOptions {
  int threads = 0;  ///< CPU threads; 0: as many as are worth their start, one per core at most
  int device = 0;   ///< index of the CUDA device
  /// Indices of CUDA devices that share the work; empty: `device` does all of it.
  std::vector<int> devices{};
  /// Bytes of a device's memory that a CUDA engine may use; 0: all that is free.
  std::int64_t device_memory = 0;
  /// Bytes that a CUDA engine's work lists may take; 0: as the free device memory allows. Longer
  /// lists are processed in batches.
  std::int64_t work_memory = 0;

  /// True if all members are equal.
  friend bool operator==(const EngineOptions&, const EngineOptions&) = default;
};

}  // namespace skde

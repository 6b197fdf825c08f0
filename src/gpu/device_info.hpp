#pragma once

#include <cstddef>
#include <string>

namespace skde::gpu {

/// The facts about a device that launch policies and reports need.
struct DeviceInfo {
  std::string name;
  int multiprocessors = 0;
  std::size_t memory = 0;  ///< total bytes
  /// Bytes of shared memory that a block may ask for on every device, so that all of a host have
  /// the same tiles and may share them.
  std::size_t shared = 0;
};

/// Returns why no CUDA device can be used; empty if one can. Never throws.
std::string unavailable_reason();

/// Returns the number of CUDA devices; 0 if none can be used. Never throws.
int device_count();

/// Makes `index` the calling thread's device. Throws Error(resources), which names the valid range,
/// if there is no such device.
void select_device(int index);

DeviceInfo device_info(int index);

/// Returns the CUDA version of the build: "12.8".
std::string cuda_version();
/// Returns the version of the kernel module or, if unknown, the CUDA version that it supports.
std::string driver_version();

/// Returns the bytes free on the current device. The answer holds for a tenth of a second, unless a
/// DeviceBuffer was allocated or freed.
std::size_t free_memory();

}  // namespace skde::gpu

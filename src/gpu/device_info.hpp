#pragma once

#include <cstddef>
#include <string>

namespace skde::gpu {

/// What a launch policy and a report need to know of a device.
struct DeviceInfo {
  std::string name;
  int multiprocessors = 0;
  std::size_t memory = 0;  ///< bytes in all
};

/// Why no CUDA device can be used here; empty where one can. Never throws.
std::string unavailable_reason();

/// How many CUDA devices there are; 0 where none can be used. Never throws.
int device_count();

/// Makes `index` the calling thread's device. Error(resources) that names the range where there is
/// no such device.
void select_device(int index);

DeviceInfo device_info(int index);

/// The CUDA version that this was compiled with: "12.8".
std::string cuda_version();
/// The kernel module's version; the CUDA version that it serves where that is not told.
std::string driver_version();

/// Bytes free on the current device.
std::size_t free_memory();

}  // namespace skde::gpu

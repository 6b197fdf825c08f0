#pragma once

namespace skde {

/// What a device reaches in loops that do nothing else: the best of several trials, a second.
struct DeviceCeilings {
  double copied_bytes = 0;       ///< read and written between two arrays of 1 GiB
  double multiply_adds = 0;      ///< fused, of floats
  double coalesced_atomics = 0;  ///< additions to neighbouring floats of 16 MiB, which L2 holds
  double random_atomics = 0;     ///< additions to any of them
};

/// Error(resources) where there is no such device, or no room on it.
DeviceCeilings measure_device_ceilings(int device);

}  // namespace skde

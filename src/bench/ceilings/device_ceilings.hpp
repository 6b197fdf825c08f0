#pragma once

namespace skde {

/// Rates per second that a device reaches in loops that do nothing else: the best of several
/// trials.
struct DeviceCeilings {
  double copied_bytes = 0;       ///< bytes read and written between two arrays of 1 GiB
  double multiply_adds = 0;      ///< fused multiply-adds of floats
  double coalesced_atomics = 0;  ///< additions to neighbouring floats of 16 MiB, which L2 holds
  double random_atomics = 0;     ///< additions to random floats of these 16 MiB
};

/// Throws Error(resources) if there is no such device or it has too little memory.
DeviceCeilings measure_device_ceilings(int device);

}  // namespace skde

#pragma once

#include <cstdint>
#include <optional>

#include "python/python_density.hpp"

namespace skde::python {

/// Returns `__cuda_array_interface__` (version 3) of the values if they are in a GPU's memory, else
/// None. The values are complete, so no stream has to wait for them.
py::object device_array_of(const PyDensity& self);
/// Returns a DLPack capsule of the values in their memory, versioned (1.0) or not. In a GPU's
/// memory it shares the values and is marked read-only; in host memory it is a copy.
py::capsule dlpack_of(const PyDensity& self, bool versioned);
/// Returns the device of the values for DLPack: (type, index), with type 1 for the CPU, 2 for CUDA.
std::pair<int, int> dlpack_device_of(const PyDensity& self);
/// Copies `count` bytes from a GPU's address to the host, after all work of `stream` (a CUDA stream
/// handle; 1 and 2 are the legacy and the per-thread default stream). Throws Error(unsupported) in
/// builds without CUDA.
void copy_from_device(std::uintptr_t from, void* to, std::size_t bytes,
                      std::optional<std::uintptr_t> stream);

}  // namespace skde::python

#pragma once

#include <cstdint>
#include <optional>

#include "python/python_density.hpp"

namespace skde::python {

/// `__cuda_array_interface__` (version 3) of the values where they are in a GPU's memory, or None.
/// They are complete, so that no stream has to wait for them.
py::object device_array_of(const PyDensity& self);
/// A DLPack capsule of the values where they lie, versioned (1.0) or not. It shares the values and
/// is read-only.
py::capsule dlpack_of(const PyDensity& self, bool versioned);
/// The device of the values as DLPack has it: (type, index), of which type 1 is the CPU and 2 CUDA.
std::pair<int, int> dlpack_device_of(const PyDensity& self);
/// Copies `count` bytes from a GPU's address to the host, after all work of `stream` (a CUDA stream
/// handle; 1 and 2 are the legacy and the per-thread default stream). Throws Error(unsupported) in
/// builds without CUDA.
void copy_from_device(std::uintptr_t from, void* to, std::size_t bytes,
                      std::optional<std::uintptr_t> stream);

}  // namespace skde::python

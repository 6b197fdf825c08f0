#pragma once

#include <cstdint>

namespace skde {

/// Bytes of memory that new work may take on this machine, as the kernel estimates them
/// (MemAvailable); the physical memory where it does not say.
std::int64_t available_memory();

}  // namespace skde

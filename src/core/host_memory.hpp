#pragma once

#include <cstdint>

namespace skde {

/// Bytes that this process may still use without swapping: what /proc/meminfo calls available, and
/// less where a control group or a limit of the address space is lower.
std::int64_t available_memory();

/// The most bytes of memory that this process has held so far.
std::int64_t peak_memory();

}  // namespace skde

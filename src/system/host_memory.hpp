#pragma once

#include <cstddef>
#include <cstdint>

namespace skde {

/// Bytes that this process may still use without swapping: what /proc/meminfo calls available, and
/// less where a control group or a limit of the address space is lower.
std::int64_t available_memory();
/// Bytes that could be available at the most, if nothing else ran: of the machine, of the control
/// groups, and of a limit of the address space.
std::int64_t total_memory();

/// Asks for memory that was allocated and not touched yet in huge pages: for most of the time that
/// binary files take to load, the kernel hands out small ones. Where it will not, nothing is lost
/// but time.
void ask_for_huge_pages(void* first, std::size_t bytes);
/// Has the system hand out such memory now, on all threads, where one that writes to it would wait
/// for one page after another to be cleared. Where it cannot, nothing is lost but time.
void hand_out_pages(void* first, std::size_t bytes);

/// The most bytes of memory that this process has held so far.
std::int64_t peak_memory();

}  // namespace skde

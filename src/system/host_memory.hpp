#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace skde {

/// Returns the bytes that this process may still use without swapping: MemAvailable of
/// /proc/meminfo, or less if a control group or a limit of the address space is lower.
std::int64_t available_memory();
/// Returns `limit` bytes or, if that is 0, available_memory().
std::int64_t memory_within(std::int64_t limit);
/// Returns the bytes that could be available at most, if nothing else ran: limited by the machine,
/// the control groups, and the limit of the address space.
std::int64_t total_memory();

/// Asks for huge pages for memory that was allocated and not touched yet. With small pages, handing
/// them out takes most of the time of loading binary files. If the kernel refuses, only time is
/// lost.
void ask_for_huge_pages(void* first, std::size_t bytes);
/// Makes the system hand out such memory now, on all threads. Otherwise a thread that writes to it
/// would wait while pages are cleared one by one. If this fails, only time is lost.
void hand_out_pages(void* first, std::size_t bytes);

/// Returns the most memory, in bytes, that this process has held so far.
std::int64_t peak_memory();

/// Reserves capacity, in huge pages if the system provides them.
template <class T>
void reserve_in_huge_pages(std::vector<T>& values, std::size_t count) {
  values.reserve(count);
  ask_for_huge_pages(values.data(), values.capacity() * sizeof(T));
}

/// Returns `count` zeros, in huge pages if the system provides them.
template <class T>
std::vector<T> zeros_in_huge_pages(std::size_t count) {
  std::vector<T> values;
  reserve_in_huge_pages(values, count);
  hand_out_pages(values.data(), count * sizeof(T));
  values.resize(count);
  return values;
}

}  // namespace skde

#include "system/host_memory.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "system/control_group.hpp"

namespace skde {
namespace {

constexpr std::size_t kHugePage = std::size_t{1} << 21;
constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();

std::optional<std::int64_t> number_in(const char* path) {
  std::ifstream file(path);
  std::int64_t value = 0;
  if (file >> value) return value;
  return std::nullopt;  // no such file, or "max"
}

std::optional<std::int64_t> available_in_meminfo() {
  std::ifstream file("/proc/meminfo");
  std::string line;
  while (std::getline(file, line))
    if (line.starts_with("MemAvailable:")) return std::stoll(line.substr(13)) * 1024;
  return std::nullopt;
}

std::int64_t physical_memory() {
  return static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
}

/// Returns the bytes that a limit of the address space (ulimit -v) leaves.
std::int64_t left_in_address_space() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kUnlimited;
  const auto most = static_cast<std::int64_t>(std::min<rlim_t>(limit.rlim_cur, kUnlimited));
  const std::int64_t pages = number_in("/proc/self/statm").value_or(0);  // the first is the total
  return std::max<std::int64_t>(0, most - pages * sysconf(_SC_PAGESIZE));
}

std::int64_t memory_in_use() {
  struct sysinfo facts {};
  if (sysinfo(&facts) != 0) return 0;
  return static_cast<std::int64_t>((facts.totalram - facts.freeram) * facts.mem_unit);
}

/// Reads ten files, which takes 0.1 ms.
std::int64_t read_available() {
  return std::min(available_in_meminfo().value_or(physical_memory()),
                  left_in_control_groups().value_or(kUnlimited));
}

/// The last answer holds for this long, unless so much of the machine's memory was taken since:
/// small densities take less time than the answer.
constexpr auto kHolds = std::chrono::milliseconds(250);
constexpr std::int64_t kTaken = std::int64_t{16} << 20;

}  // namespace

std::int64_t available_memory() {
  using Clock = std::chrono::steady_clock;
  static std::mutex mutex;
  static std::int64_t answer = 0, in_use = 0;
  static Clock::time_point asked{};
  const std::lock_guard lock(mutex);
  const Clock::time_point now = Clock::now();
  const std::int64_t used = memory_in_use();
  if (asked == Clock::time_point() || now - asked >= kHolds || used > in_use + kTaken) {
    answer = read_available();
    asked = now;
    in_use = used;
  }
  return std::min(answer, left_in_address_space());
}

std::int64_t memory_within(std::int64_t limit) { return limit > 0 ? limit : available_memory(); }

std::int64_t total_memory() {
  return std::min(
      {physical_memory(), limit_of_control_groups().value_or(kUnlimited), left_in_address_space()});
}

void ask_for_huge_pages(void* first, std::size_t bytes) {
  if (std::align(kHugePage, kHugePage, first, bytes) != nullptr)
    ::madvise(first, bytes / kHugePage * kHugePage, MADV_HUGEPAGE);
}

void hand_out_pages([[maybe_unused]] void* first, [[maybe_unused]] std::size_t bytes) {
#ifdef MADV_POPULATE_WRITE
  constexpr std::size_t kAtOnce = 8 * kHugePage;
  if (std::align(kHugePage, kAtOnce, first, bytes) == nullptr) return;
  auto* const begin = static_cast<std::byte*>(first);
#pragma omp parallel for schedule(static)
  for (std::size_t at = 0; at < bytes / kHugePage * kHugePage; at += kAtOnce)
    ::madvise(begin + at, std::min(kAtOnce, bytes / kHugePage * kHugePage - at),
              MADV_POPULATE_WRITE);
#endif
}

std::int64_t peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::int64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace skde

#include "io/bytes/reader_program.hpp"

#include <fmt/core.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "core/report/error.hpp"
#include "system/host_memory.hpp"
#include "system/stop_watch.hpp"

// AddressSanitizer's own bookkeeping takes more memory than any limit.
#if defined(__SANITIZE_ADDRESS__)
#define SKDE_LIMITS_MEMORY false
#elif defined(__has_feature)
#define SKDE_LIMITS_MEMORY !__has_feature(address_sanitizer)
#else
#define SKDE_LIMITS_MEMORY true
#endif

namespace skde::io {
namespace {

void limit(__rlimit_resource resource, std::uint64_t most) {
  rlimit both{};
  if (getrlimit(resource, &both) != 0) return;
  both.rlim_cur = std::min<rlim_t>(most, both.rlim_max);
  setrlimit(resource, &both);
}

bool is_limited = false;

}  // namespace

ReadingLimits reading_limits(const std::string& path) {
  constexpr double kMiB = 1 << 20, kLeastSeconds = 10, kSecondsOfMiB = 4;
  // zlib packs at most 1032:1, and values take up to eight times as many bytes in memory as in a
  // file.
  constexpr double kLeastBytes = 1024 * kMiB, kBytesOfByte = 8 * 1032;
  std::error_code unknown;
  const std::uintmax_t size = std::filesystem::file_size(path, unknown);
  const double bytes = unknown ? 0 : static_cast<double>(size);
  const auto there = static_cast<double>(available_memory());
  return {kLeastSeconds + kSecondsOfMiB * bytes / kMiB,
          static_cast<std::uint64_t>(std::min(there, kLeastBytes + kBytesOfByte * bytes))};
}

void limit_this_process(const ReadingLimits& limits) {
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, 0);  // it writes only to a pipe
  limit(RLIMIT_CPU, static_cast<std::uint64_t>(std::ceil(limits.seconds)));
  if (SKDE_LIMITS_MEMORY) limit(RLIMIT_DATA, limits.bytes);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  is_limited = true;
}

void lift_memory_limit() {
  if (is_limited) limit(RLIMIT_DATA, RLIM_INFINITY);
}

bool has_memory_limit() { return is_limited; }

void assume_memory_limit(bool there) { is_limited = there; }

ReaderProgram::ReaderProgram(const std::vector<std::string>& command, double patience)
    : child_(command, "/dev/null", ChildProcess::Output::pipe), patience_(patience) {
  if (child_.problem() == 0) return;
  throw Error(
      ErrorKind::resources,
      fmt::format(
          "{}: cannot be started: {}; free memory or raise the limit on processes (ulimit -u)",
          command[0], std::strerror(child_.problem())));
}

bool ReaderProgram::wait_for_bytes() const {
  const StopWatch silence;
  pollfd wanted{child_.pipe(), POLLIN, 0};
  while (true) {
    const double left = patience_ - silence.seconds();
    if (left <= 0) return false;
    const int milliseconds = static_cast<int>(std::min(left, 60.0) * 1000) + 1;
    if (poll(&wanted, 1, milliseconds) > 0) return true;
  }
}

bool ReaderProgram::take(char* to, std::size_t count) {
  while (count > 0) {
    late_ = !wait_for_bytes();
    if (late_) return false;
    const ssize_t got = ::read(child_.pipe(), to, count);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    to += got;
    count -= static_cast<std::size_t>(got);
  }
  return true;
}

std::string ReaderProgram::end() {
  std::optional<int> status;
  // A program that closed its output is about to exit; after a second it is killed.
  for (int look = 0; !late_ && look < 1000 && !(status = child_.ended()); ++look)
    poll(nullptr, 0, 1);
  child_.stop();
  if (!status || WTERMSIG(*status) == SIGXCPU) return "took too long and was stopped";
  if (WIFSIGNALED(*status))
    return fmt::format("was ended by signal {} ({})", WTERMSIG(*status),
                       strsignal(WTERMSIG(*status)));
  return fmt::format("ended early, with code {}", WEXITSTATUS(*status));
}

}  // namespace skde::io

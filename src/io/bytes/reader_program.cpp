#include "io/bytes/reader_program.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
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

/// The spawn attributes and file actions of a new process.
class Setting {
 public:
  explicit Setting(int output) {
    posix_spawnattr_init(&attributes_);
    posix_spawn_file_actions_init(&files_);
    // Signals that this program ignores, blocks or catches get default treatment in the new one.
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files_, output, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&files_, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;
  ~Setting() {
    posix_spawnattr_destroy(&attributes_);
    posix_spawn_file_actions_destroy(&files_);
  }

  const posix_spawnattr_t* attributes() const { return &attributes_; }
  const posix_spawn_file_actions_t* files() const { return &files_; }

 private:
  posix_spawnattr_t attributes_{};
  posix_spawn_file_actions_t files_{};
};

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

ReaderProgram::ReaderProgram(std::vector<std::string> command, double patience)
    : patience_(patience) {
  std::vector<char*> arguments(command.size() + 1);  // the last one is null
  std::ranges::transform(command, arguments.begin(), [](std::string& text) { return text.data(); });
  std::array<int, 2> ends{};
  int problem = pipe2(ends.data(), O_CLOEXEC) == 0 ? 0 : errno;
  if (problem == 0) {
    output_ = ends[0];
    const Setting setting(ends[1]);
    problem = posix_spawn(&process_, arguments[0], setting.files(), setting.attributes(),
                          arguments.data(), environ);
    close(ends[1]);
  }
  if (problem == 0) return;
  if (output_ >= 0) close(output_);
  throw Error(
      ErrorKind::resources,
      fmt::format(
          "{}: cannot be started: {}; free memory or raise the limit on processes (ulimit -u)",
          command[0], std::strerror(problem)));
}

ReaderProgram::~ReaderProgram() {
  stop();
  close(output_);
}

void ReaderProgram::stop() {
  if (process_ < 0) return;
  kill(-process_, SIGKILL);
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
}

bool ReaderProgram::wait_for_bytes() const {
  const StopWatch silence;
  pollfd wanted{output_, POLLIN, 0};
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
    const ssize_t got = ::read(output_, to, count);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    to += got;
    count -= static_cast<std::size_t>(got);
  }
  return true;
}

std::string ReaderProgram::end() {
  int status = 0;
  // A program that closed its output is about to exit; after a second it is killed.
  for (int look = 0; !late_ && look < 1000; ++look) {
    if (waitpid(process_, &status, WNOHANG) == process_) {
      process_ = -1;
      break;
    }
    poll(nullptr, 0, 1);
  }
  const bool ended = process_ < 0;
  stop();
  if (!ended || WTERMSIG(status) == SIGXCPU) return "took too long and was stopped";
  if (WIFSIGNALED(status))
    return fmt::format("was ended by signal {} ({})", WTERMSIG(status),
                       strsignal(WTERMSIG(status)));
  return fmt::format("ended early, with code {}", WEXITSTATUS(status));
}

}  // namespace skde::io

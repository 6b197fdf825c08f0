#include "io/bytes/child_process.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/report/error.hpp"
#include "system/stop_watch.hpp"

namespace skde::io {
namespace {

constexpr int kPause = 100;  // milliseconds between checks for cancellation

/// Appends new output, waiting at most kPause; returns false once the output is closed.
bool read_into(std::string& text, int output) {
  pollfd wanted{output, POLLIN, 0};
  if (poll(&wanted, 1, kPause) <= 0) return true;
  std::array<char, 1 << 14> bytes{};
  const ssize_t count = read(output, bytes.data(), bytes.size());
  if (count > 0) text.append(bytes.data(), static_cast<std::size_t>(count));
  return count > 0 || (count < 0 && errno == EINTR);
}

/// Waits a millisecond; returns true, and sets the exit code, once the program has ended.
bool has_ended(ChildProcess& child, int& code) {
  poll(nullptr, 0, 1);
  const std::optional<int> status = child.ended();
  if (status) code = WIFEXITED(*status) ? WEXITSTATUS(*status) : 128 + WTERMSIG(*status);
  return status.has_value();
}

/// Passes JSON lines to take_line() and keeps other lines as the complaint. Returns false if
/// take_line() does.
bool take_lines(std::string& text, ProgramEnd& end, const TakeLine& take_line) {
  constexpr std::size_t kLongest = 300;
  for (std::size_t last = 0; (last = text.find('\n')) != text.npos; text.erase(0, last + 1)) {
    const std::string line = text.substr(0, last);
    if (!line.starts_with('{') && !line.empty()) end.complaint = line.substr(0, kLongest);
    if (line.starts_with('{') && !take_line(line)) return false;
  }
  return true;
}

}  // namespace

ChildProcess::ChildProcess(std::vector<std::string> command, const std::string& input,
                           Output output) {
  std::vector<char*> arguments(command.size() + 1);  // the last one is null
  std::ranges::transform(command, arguments.begin(), [](std::string& text) { return text.data(); });
  std::array<int, 2> ends{-1, -1};
  const bool writes = input.empty();
  if ((writes || output >= Output::pipe) && pipe2(ends.data(), O_CLOEXEC) != 0) problem_ = errno;
  if (problem_ != 0) return;
  pipe_ = ends[writes ? 1 : 0];
  const int other = ends[writes ? 0 : 1];
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t all, none;
  sigfillset(&all);
  sigemptyset(&none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  if (writes)
    posix_spawn_file_actions_adddup2(&files, other, STDIN_FILENO);
  else
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, input.c_str(), O_RDONLY, 0);
  if (output == Output::none)
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  else
    posix_spawn_file_actions_adddup2(&files, output == Output::errors ? STDERR_FILENO : other,
                                     STDOUT_FILENO);
  if (output == Output::pipe_with_errors)
    posix_spawn_file_actions_adddup2(&files, other, STDERR_FILENO);
  else if (output != Output::errors)
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  problem_ = posix_spawnp(&process_, arguments[0], &files, &attributes, arguments.data(), environ);
  if (problem_ != 0) process_ = -1;
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  if (other >= 0) close(other);
}

ChildProcess::~ChildProcess() {
  close_pipe();
  stop();
}

void ChildProcess::close_pipe() {
  if (pipe_ >= 0) close(std::exchange(pipe_, -1));
}

std::optional<int> ChildProcess::ended(bool wait) {
  if (process_ < 0) return std::nullopt;
  int status = 0;
  pid_t found = 0;
  while ((found = waitpid(process_, &status, wait ? 0 : WNOHANG)) < 0 && errno == EINTR) continue;
  if (found == 0) return std::nullopt;
  process_ = -1;
  return status;
}

void ChildProcess::stop(int signal) {
  if (process_ < 0) return;
  kill(-process_, signal);
  ended(true);
}

ProgramEnd run_program(const std::vector<std::string>& command, double patience,
                       const Progress& progress, const TakeLine& take_line) {
  ChildProcess child(command, "/dev/null", ChildProcess::Output::pipe_with_errors);
  const int problem = child.problem();
  if (problem == EAGAIN || problem == ENOMEM || problem == EMFILE || problem == ENFILE)
    throw Error(ErrorKind::resources,
                fmt::format("{}: no process can be started: {}; free memory or raise the limit "
                            "on processes (ulimit -u)",
                            command[0], std::strerror(problem)));
  if (problem != 0) return {127, false, fmt::format("cannot be run: {}", std::strerror(problem))};
  ProgramEnd end;
  std::string text;
  StopWatch silence;
  const TakeLine take = [&](const std::string& line) {
    silence = {};
    return take_line(line);
  };
  for (bool open = true; open || !has_ended(child, end.code);) {
    progress.throw_if_cancelled();
    end.late = silence.seconds() > patience;
    if (end.late) break;
    open = open && read_into(text, child.pipe());
    if (!take_lines(text, end, take)) break;
  }
  return end;
}

}  // namespace skde::io

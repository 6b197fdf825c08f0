#include "io/bytes/child_process.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "core/report/error.hpp"
#include "system/stop_watch.hpp"

namespace skde::io {
namespace {

constexpr int kPause = 100;  // milliseconds between checks for cancellation

/// Runs in the forked process: replaces it by the program, with stdout and stderr to one pipe. Must
/// not allocate memory, because another thread may have held the allocator's lock.
[[noreturn]] void become(char* const* command, int output) {
  setpgid(0, 0);
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  execvp(command[0], command);
  for (const char* const part : {"cannot be run: ", strerrordesc_np(errno), "\n"})
    if (write(STDERR_FILENO, part, std::strlen(part)) < 0) break;
  _exit(127);
}

/// A running program without standard input. The destructor kills it and all that it started. It
/// has its own process group, so that only skde receives the terminal's Ctrl-C.
class Child {
 public:
  explicit Child(std::vector<std::string> command) {
    std::vector<char*> arguments(command.size() + 1);  // the last one is null
    std::ranges::transform(command, arguments.begin(),
                           [](std::string& text) { return text.data(); });
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0 || (process_ = fork()) < 0)
      throw Error(ErrorKind::resources,
                  fmt::format("{}: no process can be started: {}; free memory or raise the limit "
                              "on processes (ulimit -u)",
                              command[0], std::strerror(errno)));
    if (process_ == 0) become(arguments.data(), ends[1]);
    setpgid(process_, process_);
    close(ends[1]);
    output_ = ends[0];
  }
  ~Child() {
    close(output_);
    if (process_ < 0) return;
    kill(-process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Appends new output, waiting at most kPause; returns false once the output is closed.
  bool read_into(std::string& text) const {
    pollfd wanted{output_, POLLIN, 0};
    if (poll(&wanted, 1, kPause) <= 0) return true;
    std::array<char, 1 << 14> bytes{};
    const ssize_t count = read(output_, bytes.data(), bytes.size());
    if (count > 0) text.append(bytes.data(), static_cast<std::size_t>(count));
    return count > 0 || (count < 0 && errno == EINTR);
  }
  /// Waits a millisecond; returns true, and sets the exit code, once the program has ended.
  bool has_ended(int& code) {
    int status = 0;
    poll(nullptr, 0, 1);
    if (waitpid(process_, &status, WNOHANG) == 0) return false;
    process_ = -1;
    code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return true;
  }

 private:
  pid_t process_ = -1;
  int output_ = -1;
};

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

ProgramEnd run_program(const std::vector<std::string>& command, double patience,
                       const Progress& progress, const TakeLine& take_line) {
  Child child(command);
  ProgramEnd end;
  std::string text;
  StopWatch silence;
  const TakeLine take = [&](const std::string& line) {
    silence = {};
    return take_line(line);
  };
  for (bool open = true; open || !child.has_ended(end.code);) {
    progress.throw_if_cancelled();
    end.late = silence.seconds() > patience;
    if (end.late) break;
    open = open && child.read_into(text);
    if (!take_lines(text, end, take)) break;
  }
  return end;
}

}  // namespace skde::io

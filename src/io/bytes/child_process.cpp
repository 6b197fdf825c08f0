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

constexpr int kPause = 100;  // milliseconds between looks at whether the user stops

/// In a new process: becomes the program, which writes all to one pipe. No memory may be taken
/// here, since another thread may have held its lock.
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

/// A program at work without standard input, which ends with all that it started at the end of its
/// scope. It has a process group of its own, so that the terminal's Ctrl-C is ours.
class Child {
 public:
  explicit Child(std::vector<std::string> command) {
    std::vector<char*> arguments(command.size() + 1);  // the last of them null
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

  /// Appends what it wrote, after kPause at most; false once it has closed its output.
  bool read_into(std::string& text) const {
    pollfd wanted{output_, POLLIN, 0};
    if (poll(&wanted, 1, kPause) <= 0) return true;
    std::array<char, 1 << 14> bytes{};
    const ssize_t count = read(output_, bytes.data(), bytes.size());
    if (count > 0) text.append(bytes.data(), static_cast<std::size_t>(count));
    return count > 0 || (count < 0 && errno == EINTR);
  }
  /// True once it has ended, with its code; waits a millisecond.
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

/// What a program says goes to take_line(), or is its complaint; false where that ends it.
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

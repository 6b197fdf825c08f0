#pragma once

#include <sys/types.h>

#include <csignal>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/report/progress.hpp"

namespace skde::io {

/// A running program. It leads a process group, so that this program alone receives the terminal's
/// Ctrl-C, and has the default treatment of all signals. The destructor kills the group.
class ChildProcess {
 public:
  enum class Output {
    none,
    errors,           ///< to this program's stderr
    pipe,             ///< to this program, without what it writes to stderr
    pipe_with_errors  ///< the same with it
  };
  /// Starts `command[0]`, looked up on the PATH if it holds no slash, with a file as its input or,
  /// if `input` is empty, a pipe from this program.
  ChildProcess(std::vector<std::string> command, const std::string& input, Output output);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Why it was not started, as an error number; 0 if it was.
  int problem() const { return problem_; }
  /// This program's end of the pipe.
  int pipe() const { return pipe_; }
  void close_pipe();
  /// Returns its status as of waitpid() once it has ended, and then nothing more; waits for that if
  /// asked to.
  std::optional<int> ended(bool wait = false);
  /// Ends the group, if the program has not ended.
  void stop(int signal = SIGKILL);

 private:
  pid_t process_ = -1;
  int pipe_ = -1, problem_ = 0;
};

/// How a program ended.
struct ProgramEnd {
  int code = 0;           ///< exit code, or 128 and the signal that ended it
  bool late = false;      ///< it was silent for too long and was killed
  std::string complaint;  ///< the last line that it wrote besides JSON objects
};

/// Takes a line with a JSON object; returns false if the program is to be ended.
using TakeLine = std::function<bool(const std::string& line)>;

/// Runs `command[0]`, looked up on the PATH if it holds no slash, without standard input. The
/// program and all that it started are killed if take_line() returns false, or if it prints no
/// object for `patience` seconds. If it cannot be run, the exit code is 127 and the complaint says
/// why. Throws Error(resources) if no process can be created, Error(cancelled) if the progress asks
/// for it.
ProgramEnd run_program(const std::vector<std::string>& command, double patience,
                       const Progress& progress, const TakeLine& take_line);

}  // namespace skde::io

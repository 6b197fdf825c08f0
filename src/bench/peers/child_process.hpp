#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "core/progress.hpp"

namespace skde::bench {

/// Another program at work, whose standard output is read line by line. It has no standard input.
class ChildProcess {
 public:
  /// Starts `command[0]`, looked up on the PATH where it holds no slash; `environment` are
  /// "NAME=value" besides those of this process. Throws Error(input) where it cannot be run.
  explicit ChildProcess(const std::vector<std::string>& command,
                        const std::vector<std::string>& environment = {});
  /// Ends it with all that it started.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  enum class Reading {
    line,
    end,  ///< it has closed its standard output
    late  ///< nothing came in time
  };
  /// The next line, without its end; waits for `seconds` at most. Throws Error(cancelled) where the
  /// progress says so.
  Reading read_line(std::string& line, double seconds, const Progress& progress);

  /// Waits for `seconds` at most until it has ended; then it is ended. Its exit code, or 128 and
  /// the signal that ended it.
  int finish(double seconds, const Progress& progress);

  /// The last line that it wrote to standard error, where Python and others say what went wrong.
  std::string complaint() const;

 private:
  /// Reads what is there; waits for a tenth of a second at most.
  void pump();

  pid_t process_ = -1;
  int out_ = -1, err_ = -1;
  std::string out_text_, err_text_;
};

}  // namespace skde::bench

#pragma once

#include <csignal>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace skde::test {

struct RunSettings {
  std::string input{};                           ///< content of standard input
  bool keep_input_open = false;                  ///< standard input does not end after `input`
  std::string output_file{};                     ///< destination of standard output, e.g. /dev/full
  bool error_to_terminal = false;                ///< standard error is a terminal of 80 columns
  bool error_closed = false;                     ///< standard error is closed
  std::string error_file{};                      ///< destination of standard error, e.g. /dev/full
  std::optional<std::size_t> address_space{};    ///< limit in bytes, as by ulimit -v
  std::optional<std::size_t> file_size_limit{};  ///< limit of a file in bytes, as on a full disk
  int signal = SIGINT;                           ///< the signal that interrupts
  std::optional<double> interrupt_after{};       ///< seconds until the signal
  std::string interrupt_on{};                    ///< signal when standard output contains this
};

struct RunResult {
  int exit_code = -1;  ///< 128 + signal if a signal ended it
  std::string out, err;
  double seconds = 0;            ///< of the whole run
  bool was_interrupted = false;  ///< the signal was sent while it ran
};

/// Returns false if the machine has no pseudo-terminals, as in a bare container.
bool has_terminals();

/// Runs the program at this path with these arguments.
RunResult run_child(const std::string& program, const std::vector<std::string>& arguments,
                    const RunSettings& settings = {});

}  // namespace skde::test

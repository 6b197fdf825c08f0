#pragma once

#include <csignal>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace skde::test {

struct RunSettings {
  std::string input{};                           ///< what standard input yields
  bool keep_input_open = false;                  ///< standard input yields nothing and never ends
  std::string output_file{};                     ///< where standard output goes, e.g. /dev/full
  bool error_to_terminal = false;                ///< standard error is a terminal of 80 columns
  bool error_closed = false;                     ///< there is no standard error
  std::string error_file{};                      ///< where standard error goes, e.g. /dev/full
  std::optional<std::size_t> address_space{};    ///< bytes, as by ulimit -v
  std::optional<std::size_t> file_size_limit{};  ///< bytes that a file may have, as on a full disk
  int signal = SIGINT;                           ///< what interrupts
  std::optional<double> interrupt_after{};       ///< seconds until the signal
  std::string interrupt_on{};                    ///< the signal once this stands on standard output
};

struct RunResult {
  int exit_code = -1;  ///< 128 + signal where one ended it
  std::string out, err;
  double seconds = 0;            ///< of the whole run
  bool was_interrupted = false;  ///< the signal was sent while it ran
};

/// False where the machine has no pseudo-terminals, as in a bare container.
bool has_terminals();

/// Runs the program at this path with these arguments.
RunResult run_child(const std::string& program, const std::vector<std::string>& arguments,
                    const RunSettings& settings = {});

}  // namespace skde::test

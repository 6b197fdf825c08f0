#pragma once

#include <string>
#include <vector>

#include "bench/results/results.hpp"
#include "cli/command.hpp"
#include "cli/options/option_table.hpp"
#include "cli/terminal_progress.hpp"

namespace skde::bench {

/// Where results go besides standard output. An empty path means nowhere.
struct ResultOptions {
  std::string json, csv;
  std::string folder;  ///< for results.json and results.csv; made if missing
  bool quiet = false;

  void add_flags(cli::OptionTable& table);
  /// Checks that there are flags alone, and that the results can be written.
  void require(const cli::ParsedFlags& flags) const;
};

/// Records the results of a run as they come. Each is a row on standard output; the files are
/// rewritten with all results after each.
class Recorder {
 public:
  /// For the machine with this CUDA device. `stages`: each row is followed by the stages of its
  /// fastest repetition.
  Recorder(ResultOptions options, const cli::Invocation& invocation, int device, bool stages);

  cli::TerminalProgress& progress() { return progress_; }
  /// Shows the current activity. Throws Error(cancelled) if the user cancels.
  void announce(const std::string& activity);
  void add(Ceiling ceiling);
  void add(Overhead overhead);
  void add(Result result);
  const std::vector<Result>& results() const { return run_.results; }
  /// Runs the experiment and writes the files once more at its end, even if the user cancelled it.
  /// Error(cancelled) is then rethrown.
  template <class Experiment>
  void record(Experiment experiment) {
    try {
      experiment();
    } catch (...) {
      run_.cancelled = progress_.cancelled();
      write_files();
      throw;
    }
    write_files();
  }

 private:
  void note(const std::string& text);
  void write_files();

  RunRecord run_;
  ResultOptions options_;
  bool stages_, header_printed_ = false;
  cli::TerminalProgress progress_;
};

}  // namespace skde::bench

#pragma once

#include <optional>
#include <string>

#include "bench/results/results.hpp"
#include "cli/command.hpp"
#include "cli/options/option_table.hpp"
#include "cli/terminal_progress.hpp"

namespace skde::bench {

/// Where results go besides standard output; an empty path: nowhere.
struct ResultOptions {
  std::string json, csv;
  std::string folder;  ///< takes results.json and results.csv; made where it is not there
  bool quiet = false;

  void add_flags(cli::OptionTable& table);
  /// Parses the command line and makes sure that the results can be written; nothing where only
  /// help was wanted, which is printed.
  std::optional<cli::ParsedFlags> parse(const cli::OptionTable& table,
                                        const cli::Invocation& invocation) const;
};

/// The results of a run as they come: each is a row on standard output, and the files hold all of
/// them after each.
class Recorder {
 public:
  /// On the machine with this CUDA device. `stages`: rows are followed by the stages of the fastest
  /// repetition.
  Recorder(ResultOptions options, const cli::Invocation& invocation, int device, bool stages);

  cli::TerminalProgress& progress() { return progress_; }
  /// Shows what goes on now. Throws Error(cancelled) where the user stops.
  void announce(const std::string& activity);
  void add(Ceiling ceiling);
  void add(Overhead overhead);
  void add(Result result);
  /// Runs the experiment, and writes the files once more at its end, also where the user stopped
  /// it: then Error(cancelled) goes on afterwards.
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

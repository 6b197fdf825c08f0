#pragma once

#include <string>

#include "bench/results/results.hpp"
#include "cli/terminal_progress.hpp"

namespace skde::bench {

/// Where results go besides standard output; empty: nowhere.
struct OutputFiles {
  std::string json, csv;
  std::string folder;  ///< takes results.json and results.csv; made where it is not there
};

/// Throws Error(output) where one of them cannot be written; before any work.
void check_outputs(const OutputFiles& files);

/// The results of a run as they come: each is a row on standard output, and the files hold all of
/// them after each.
class Recorder {
 public:
  /// `stages`: rows are followed by the stages of the fastest repetition.
  Recorder(RunRecord run, OutputFiles files, bool stages, bool quiet);

  cli::TerminalProgress& progress() { return progress_; }
  const RunRecord& run() const { return run_; }

  /// A line of its own.
  void note(const std::string& text);
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
      finish(progress_.cancelled());
      throw;
    }
    finish(false);
  }

 private:
  void finish(bool cancelled);
  void write_files() const;

  RunRecord run_;
  OutputFiles files_;
  bool stages_, header_printed_ = false;
  cli::TerminalProgress progress_;
};

}  // namespace skde::bench

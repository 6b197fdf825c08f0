#pragma once

#include <functional>
#include <optional>
#include <string>

#include "viewer/work/background_worker.hpp"
#include "viewer/work/compared_density.hpp"
#include "viewer/work/work_status.hpp"

namespace skde::view {

/// Returns the job that compares a density with another. `time` is the condition of a window of
/// time, which B keeps; empty if there is none.
/// Throws Error(usage) if the text of `compare` cannot be understood.
CompareJob compare_job(const CompareState& compare, const CloudFiles& files,
                       const std::shared_ptr<const SampleCloud>& cloud,
                       const DensityRequest& request, const std::string& time = "");

/// Throws Error(usage) if what is compared cannot be understood; files are not opened.
void check_comparison(const CompareState& compare);

/// Returns the figures of a comparison as skde compare names them.
std::vector<ReadoutLine> comparison_lines(const DensityComparison& found);

/// Keeps a comparison up to date beside the frames. All functions belong to one thread.
class LiveComparison {
 public:
  using Worker = BackgroundWorker<CompareJob, Comparison>;

  /// `wake` is called by another thread when poll() has something new. May be empty.
  explicit LiveComparison(std::function<void()> wake);

  /// What a comparison depends on: `version` counts the densities A that were shown.
  struct Wanted {
    CompareState compare;
    int version = 0;
    friend bool operator==(const Wanted&, const Wanted&) = default;
  };
  /// Returns true if that is not the last that was requested.
  bool is_new(const Wanted& wanted) const { return wanted != asked_; }
  /// Requests it, and cancels another.
  void request(const Wanted& wanted, CompareJob job);
  /// Notes that there is nothing to compare, and why, if there is a reason.
  void drop(const Wanted& wanted, std::optional<Error> problem);

  /// Returns a comparison that is finished, once.
  std::optional<Comparison> poll();
  /// Waits for the comparison that was requested and returns it. Throws the Error that prevents it,
  /// and Error(cancelled) once `cancelled` returns true.
  std::optional<Comparison> wait(const std::function<bool()>& cancelled);
  WorkStatus status() const { return worker_.status(); }
  const std::optional<Error>& problem() const { return problem_; }

 private:
  std::optional<Comparison> taken(std::optional<Worker::Answer> answer);

  Worker worker_;
  std::optional<Wanted> asked_;
  std::optional<Error> problem_;
  bool waiting_ = false;
};

}  // namespace skde::view

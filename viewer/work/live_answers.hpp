#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/density_comparison.hpp"
#include "bandwidth/bandwidth.hpp"
#include "bandwidth/bandwidth_search.hpp"
#include "core/report/error.hpp"
#include "core/report/progress.hpp"
#include "core/space/volume.hpp"
#include "estimate/session.hpp"
#include "estimate/values/request.hpp"
#include "viewer/layers/samples/shown_points.hpp"
#include "viewer/work/background_worker.hpp"
#include "viewer/work/questions.hpp"

namespace skde {

struct SampleCloud;

}  // namespace skde

namespace skde::view {

/// A density B to compute, and the density A to compare it with.
struct CompareJob {
  CloudFiles files{};
  std::shared_ptr<const SampleCloud> cloud{};  ///< of these files, if it is known already
  DensityRequest request{};
  GridOfVolume like{};  ///< the grid of A
  std::shared_ptr<const Volume> a{};
  bool follows_samples = false;  ///< whether the box of A can be enlarged for B
  std::optional<Box> held{};     ///< that the box of A was enlarged for
  std::string name{};            ///< of B, for messages
  CompareAs as = CompareAs::side;
};

/// Two densities compared.
struct Comparison {
  /// The box that B has alone, if that of A must hold it first: then nothing is compared yet.
  std::optional<Box> wider{};
  Volume shown{};                              ///< B, A - B, or ln(A / B), on the grid of A
  double in_box = 1;                           ///< share of B's mass in the box
  std::shared_ptr<const SampleCloud> cloud{};  ///< of B; null for a volume
  double greatest = 0;                         ///< greatest absolute value of `shown`
  double h = 0;                                ///< of B; 0 if its H was not made from an h
  std::optional<DensityComparison> figures{};
  std::vector<std::string> notes{};  ///< why there are no figures; what was resampled
};

/// More samples than this are represented by so many of them, drawn at random.
inline constexpr std::uint64_t kMostJudges = 50000;

/// Samples whose bandwidths are scored.
struct ScoreJob {
  std::shared_ptr<const SampleCloud> cloud;
  BandwidthSpec bandwidth{};  ///< its rule is the score: lscv or lcv
  KernelFunction kernel{};
  int threads = 0;       ///< 0: one per core
  bool sharpen = false;  ///< the density is sharpened

  friend bool operator==(const ScoreJob&, const ScoreJob&) = default;
};

/// The scores of bandwidths h of all samples, the lowest being the best, and h of rules.
struct ScoreCurve {
  std::vector<ScoredBandwidth> curve{};  ///< by h
  ScoredBandwidth best{};
  std::optional<double> silverman{}, plug_in{};
  std::uint64_t judges = 0, samples = 0;  ///< that score, and all
  std::vector<Warning> warnings{};
};

/// Computes what `skde bandwidth --method lscv|lcv` does, with `--subsample` kMostJudges, and the
/// plug-in h of the same samples; none if that rule finds none, or samples are sharpened. Throws
/// what data_driven_bandwidth() throws.
ScoreCurve score_curve(const ScoreJob& job, Progress& progress);

/// The curve of scores that is shown, or why there is none.
struct ScoreFacts {
  std::optional<ScoreCurve> curve{};
  WorkStatus status{};
  std::optional<Error> problem{};
};

/// Keeps the answer to a question up to date beside the frames. `Key` is what the question depends
/// on. All functions belong to one thread.
template <class Job, class Result, class Key = Job>
class LiveAnswer {
 public:
  using Worker = BackgroundWorker<Job, Result>;

  /// `wake` is called by another thread when poll() has something new. May be empty.
  LiveAnswer(typename Worker::Work work, std::function<void()> wake)
      : worker_(std::move(work), std::move(wake)) {}

  /// Returns true if that is not the last that was asked for.
  bool is_new(const std::optional<Key>& key) const { return key != asked_; }
  /// Works on this job, and cancels others; without a job, there is no answer because of a problem,
  /// or because nothing is asked.
  void ask(const std::optional<Key>& key, std::optional<Job> job,
           std::optional<Error> problem = {}) {
    asked_ = key;
    result_.reset();
    problem_ = std::move(problem);
    waiting_ = job.has_value();
    worker_.request(std::move(job));
  }
  /// Takes what has been found; returns true if there was something, or an error.
  bool poll() { return take(worker_.poll()); }
  /// Waits for the answer. Throws the Error that prevents it, and Error(cancelled) once `cancelled`
  /// returns true.
  void wait(const std::function<bool()>& cancelled) {
    if (waiting_) take(worker_.wait(cancelled));
    if (problem_) throw Error(*problem_);
  }
  /// Returns the answer to the last question; null if nothing is asked or has been found.
  std::shared_ptr<const Result> result() const { return result_; }
  /// Returns it once.
  std::shared_ptr<Result> take_result() { return std::exchange(result_, nullptr); }
  const std::optional<Error>& problem() const { return problem_; }
  /// Returns why there is no answer, once.
  std::optional<Error> take_problem() { return std::exchange(problem_, std::nullopt); }
  WorkStatus status() const { return worker_.status(); }

 protected:
  void ask_if_new(const std::optional<Job>& wanted) {
    if (is_new(wanted)) ask(wanted, wanted);
  }

 private:
  bool take(std::optional<typename Worker::Answer> answer) {
    if (!answer) return false;
    waiting_ = false;
    if (answer->result) result_ = std::make_shared<Result>(std::move(*answer->result));
    problem_ = std::move(answer->error);
    return true;
  }

  Worker worker_;
  std::optional<Key> asked_;
  bool waiting_ = false;
  std::shared_ptr<Result> result_;
  std::optional<Error> problem_;
};

/// The samples that are shown; all if there is no answer.
class LivePoints : public LiveAnswer<PointJob, ShownPoints> {
 public:
  explicit LivePoints(std::function<void()> wake) : LiveAnswer(find_points, std::move(wake)) {}
  /// The cloud holds the samples of its files within these outlines.
  void update(const PointLook& look, const std::shared_ptr<const SampleCloud>& cloud,
              const std::vector<OutlinedPlaces>& within);
};

/// The curve of scores.
class LiveScore : public LiveAnswer<ScoreJob, ScoreCurve> {
 public:
  explicit LiveScore(std::function<void()> wake) : LiveAnswer(score_curve, std::move(wake)) {}
  /// Asks for that of this cloud, kernel and form of H. There is none if the score is off, if the
  /// cloud is null, or if the request gives lengths or H.
  void update(ScoreShown shown, const std::shared_ptr<const SampleCloud>& cloud,
              const DensityRequest& request);
  ScoreFacts facts() const {
    return {result() ? std::optional(*result()) : std::nullopt, status(), problem()};
  }
};

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

/// What a comparison depends on: `version` counts the densities A that were shown.
struct WantedComparison {
  CompareState compare;
  int version = 0;
  friend bool operator==(const WantedComparison&, const WantedComparison&) = default;
};

/// The density that is compared with the one that is shown, and how they differ.
class LiveComparison : public LiveAnswer<CompareJob, Comparison, WantedComparison> {
 public:
  explicit LiveComparison(std::function<void()> wake);
};

}  // namespace skde::view

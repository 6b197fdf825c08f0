#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "estimate/request.hpp"
#include "viewer/work/background_worker.hpp"
#include "viewer/work/score_curve.hpp"

namespace skde::view {

/// Keeps the curve of scores up to date beside the frames. All functions belong to one thread.
class LiveScore {
 public:
  /// `wake` is called by another thread when poll() has something new. May be empty.
  explicit LiveScore(std::function<void()> wake);

  /// Computes the curve of this cloud, kernel and form of H, unless it is the last that was asked
  /// for, and cancels another. There is none if the score is off, if the cloud is null, or if the
  /// request gives lengths or H.
  void update(ScoreShown shown, const std::shared_ptr<const SampleCloud>& cloud,
              const DensityRequest& request);
  /// Takes a curve that is finished; returns true if there was one.
  bool poll();
  /// Waits for the curve. Throws the Error that prevents it, and Error(cancelled) once `cancelled`
  /// returns true.
  void wait(const std::function<bool()>& cancelled);
  ScoreFacts facts() const { return {curve_, worker_.status(), problem_}; }

 private:
  using Worker = BackgroundWorker<ScoreJob, ScoreCurve>;
  void take(Worker::Answer answer);

  Worker worker_;
  std::optional<ScoreJob> asked_;
  std::optional<ScoreCurve> curve_;
  std::optional<Error> problem_;
};

}  // namespace skde::view

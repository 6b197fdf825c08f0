#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "viewer/layers/samples/shown_points.hpp"
#include "viewer/work/background_worker.hpp"

namespace skde::view {

/// Finds the samples that are shown beside the frames. All functions belong to one thread.
class LivePoints {
 public:
  /// `wake` is called by another thread when poll() has something new. May be empty.
  explicit LivePoints(std::function<void()> wake) : worker_(find_points, std::move(wake)) {}

  /// Finds the points of this look, unless it was the last that was asked for, and cancels others.
  /// The cloud holds the samples of its files within these outlines.
  void update(const PointLook& look, const std::shared_ptr<const SampleCloud>& cloud,
              const std::vector<OutlinedPlaces>& within);
  /// Takes what has been found; returns true if there was something, or an error.
  bool poll();
  /// Waits until the points are found. Throws the Error that prevents it, and Error(cancelled) once
  /// `cancelled` returns true.
  void wait(const std::function<bool()>& cancelled);

  /// Returns the points of the last update; null if all are shown, or none have been found.
  const std::shared_ptr<const ShownPoints>& points() const { return points_; }
  /// Returns why they could not be found, once.
  std::optional<Error> take_problem() { return std::exchange(problem_, std::nullopt); }

 private:
  using Worker = BackgroundWorker<PointJob, ShownPoints>;
  void take(Worker::Answer answer);

  Worker worker_;
  std::optional<PointJob> asked_;
  std::shared_ptr<const ShownPoints> points_;
  std::optional<Error> problem_;
};

}  // namespace skde::view

#include "viewer/work/live_score.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "core/report/thread_room.hpp"

namespace skde::view {
namespace {

/// Returns the job of the curve that is to be shown; nothing if none is.
std::optional<ScoreJob> score_job(ScoreShown shown, const std::shared_ptr<const SampleCloud>& cloud,
                                  const DensityRequest& request) {
  const auto& given = request.bandwidth.bandwidth;
  const bool has_h =
      std::holds_alternative<BandwidthRule>(given) || std::holds_alternative<double>(given);
  if (shown == ScoreShown::off || !cloud || !has_h) return std::nullopt;
  ScoreJob job{cloud, request.bandwidth, request.kernel, request.options.threads, request.sharpen};
  job.bandwidth.bandwidth = shown == ScoreShown::lscv ? BandwidthRule::lscv : BandwidthRule::lcv;
  // Half of the cores, so that frames and densities go on.
  if (job.threads == 0) job.threads = std::max(1, thread_count(0) / 2);
  return job;
}

}  // namespace

LiveScore::LiveScore(std::function<void()> wake) : worker_(score_curve, std::move(wake)) {}

void LiveScore::update(ScoreShown shown, const std::shared_ptr<const SampleCloud>& cloud,
                       const DensityRequest& request) {
  const std::optional<ScoreJob> wanted = score_job(shown, cloud, request);
  if (wanted == asked_) return;
  asked_ = wanted;
  curve_.reset();
  problem_.reset();
  worker_.request(wanted);
}

void LiveScore::take(Worker::Answer answer) {
  curve_ = std::move(answer.result);
  problem_ = std::move(answer.error);
}

bool LiveScore::poll() {
  std::optional<Worker::Answer> answer = worker_.poll();
  if (answer) take(std::move(*answer));
  return answer.has_value();
}

void LiveScore::wait(const std::function<bool()>& cancelled) {
  if (asked_ && !curve_ && !problem_) take(worker_.wait(cancelled));
  if (problem_) throw Error(*problem_);
}

}  // namespace skde::view

#include "viewer/work/live_points.hpp"

#include <utility>

namespace skde::view {

void LivePoints::update(const PointLook& look, const std::shared_ptr<const SampleCloud>& cloud,
                        const std::vector<OutlinedPlaces>& within) {
  std::optional<PointJob> wanted;
  if (cloud && look.needs_columns())
    wanted = PointJob{cloud, look.colors == PointColors::column ? look.column : "", look.where,
                      within, look.sizes == PointColors::column ? look.size_column : ""};
  if (wanted == asked_) return;
  asked_ = wanted;
  points_.reset();
  problem_.reset();
  worker_.request(wanted);
}

void LivePoints::take(Worker::Answer answer) {
  if (answer.result) points_ = std::make_shared<const ShownPoints>(std::move(*answer.result));
  problem_ = std::move(answer.error);
}

bool LivePoints::poll() {
  std::optional<Worker::Answer> answer = worker_.poll();
  if (answer) take(std::move(*answer));
  return answer.has_value();
}

void LivePoints::wait(const std::function<bool()>& cancelled) {
  if (asked_ && !points_ && !problem_) take(worker_.wait(cancelled));
  if (problem_) throw Error(*problem_);
}

}  // namespace skde::view

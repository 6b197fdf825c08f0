#include "viewer/session/density_requests.hpp"

#include <algorithm>

namespace skde::view {

bool reads_input(const ViewState& state) { return std::ranges::count(state.cloud.paths, "-") > 0; }

bool DensityRequests::wants_input_again(const ViewState& state,
                                        const std::optional<ViewState>& shown) const {
  if (!reads_input(state) || follows_stream(state) || !input_) return false;
  return *input_ != state.cloud ||
         (shown && (shown->cloud != state.cloud || shown->time.column != state.time.column));
}

void DensityRequests::request(bool announces) {
  const ViewState& state = last_->state;
  if (reads_input(state)) input_ = state.cloud;
  since_ = StopWatch();
  WorkerRequest request{.files = state.cloud, .density = state.density, .reading = state.reading};
  request.within = state.within;
  if (last_->held) request.density.like = last_->held;
  request.holds = last_->box;
  request.time = state.time;
  request.announces = announces;
  if (follows_stream(state)) request.window = window_;
  newest_ = worker_.request(std::move(request));
  waiting_.emplace_back(newest_, state);
}

std::optional<ViewState> DensityRequests::answered_by(const WorkerResult& result) {
  answered_ = std::max(answered_, result.number);  // a stream's result may answer an earlier
                                                   // request
  std::optional<ViewState> asked;
  while (!waiting_.empty() && waiting_.front().first <= answered_) {
    asked = std::move(waiting_.front().second);
    waiting_.pop_front();
  }
  return asked;
}

}  // namespace skde::view

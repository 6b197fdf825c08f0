#include "viewer/session/view_session.hpp"

#include <algorithm>
#include <utility>

#include "io/volumes/volume_formats.hpp"

namespace skde::view {

ViewSession::ViewSession(const ViewOptions& options, std::function<void()> wake)
    : state(options.state),
      scene(options.state.engine_options.device, options.interop),
      worker_(std::move(wake)) {}

void ViewSession::open_files(std::vector<std::string> paths) {
  state.cloud.paths = std::move(paths);
  state.sample = 0;
  state.slice = -1;
  if (std::ranges::any_of(state.cloud.paths, io::is_volume_file)) state.layout = ViewLayout::volume;
}

void ViewSession::update_request() {
  if (state.cloud.paths.empty() || (requested_ && same_density(*requested_, state))) return;
  requested_ = state;
  since_request_ = StopWatch();
  newest_ = worker_.request({state.cloud, density_request(state)});
}

void ViewSession::take(WorkerResult result) {
  shown_ = result.number;
  if (result.error) {
    error_ = result.error->what();
    error_kind_ = result.error->kind();
    return;
  }
  try {
    scene.show(std::move(result), state);
    error_.clear();
    error_kind_.reset();
    if (shown_ == newest_) recompute_seconds_ = since_request_.seconds();
  } catch (const Error& error) {
    error_ = error.what();
    error_kind_ = error.kind();
  }
}

bool ViewSession::poll() {
  std::optional<WorkerResult> result = worker_.poll();
  if (!result) return false;
  take(std::move(*result));
  return true;
}

void ViewSession::wait(const std::function<bool()>& cancelled) {
  constexpr std::chrono::milliseconds kLookAgain{50};
  update_request();
  while (shown_ != newest_) {
    if (cancelled()) throw Error(ErrorKind::cancelled, "cancelled");
    if (std::optional<WorkerResult> result = worker_.poll_for(kLookAgain)) take(std::move(*result));
  }
  if (error_kind_) throw Error(*error_kind_, error_);
}

double ViewSession::busy_seconds() const {
  return worker_.status().busy ? since_request_.seconds() : 0;
}

}  // namespace skde::view

#include "viewer/session/view_session.hpp"

#include <algorithm>
#include <utility>

#include "io/volumes/volume_formats.hpp"

namespace skde::view {
namespace {

/// An error as the panels show it, where parameters are controls.
std::string shown_text(const Error& error) {
  const auto control = [](std::string_view name, std::string_view value) {
    std::string text(name);
    std::ranges::replace(text, '_', ' ');
    return value.empty() ? text : text + " " + std::string(value);
  };
  return with_parameters(error.what(), control);
}

}  // namespace

ViewSession::ViewSession(const ViewOptions& options, std::function<void()> wake)
    : state(options.state),
      scene(options.state.density.options.device, options.interop),
      worker_({.resident = true}, std::move(wake)) {}

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
  newest_ = worker_.request({state.cloud, state.density});
}

void ViewSession::take(WorkerResult result) {
  shown_ = result.number;
  if (result.error) {
    error_ = shown_text(*result.error);
    failure_ = std::move(result.error);
    return;
  }
  try {
    scene.show(std::move(result), state);
    error_.clear();
    failure_.reset();
    if (shown_ == newest_) recompute_seconds_ = since_request_.seconds();
  } catch (const Error& error) {
    error_ = shown_text(error);
    failure_ = error;
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
  if (failure_) throw Error(*failure_);
}

double ViewSession::busy_seconds() const {
  return worker_.status().busy ? since_request_.seconds() : 0;
}

}  // namespace skde::view

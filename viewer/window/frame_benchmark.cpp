#include "viewer/window/headless_run.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "cli/cancellation.hpp"
#include "core/cloud/statistics.hpp"
#include "core/report/error.hpp"
#include "estimate/read/cloud.hpp"
#include "estimate/values/density_facts.hpp"
#include "system/stop_watch.hpp"
#include "viewer/window/window.hpp"

namespace skde::view {
namespace {

constexpr int kMostRecomputes = 50;
constexpr int kWarmUps = 3;  // frames and recomputes that are not counted

nlohmann::ordered_json summary(const std::vector<double>& seconds) {
  if (seconds.empty()) return nullptr;
  const Summary all = summarize(seconds);
  const double milli = 1e3;
  return {
      {"min", milli * all.minimum}, {"median", milli * all.median}, {"max", milli * all.maximum}};
}

double total(const StageTimes& stages) {
  double sum = 0;
  for (const StageTime& stage : stages) sum += stage.seconds;
  return sum;
}

struct FrameTimes {
  std::vector<double> frame, march;
};

FrameTimes time_frames(ViewFrame& frame, ViewSession& session, const ViewOptions& options) {
  FrameTimes times;
  const double begin = session.state.camera.azimuth;
  for (int k = -kWarmUps; k < options.benchmark_frames; ++k) {
    if (cli::cancel_requested()) throw Error(ErrorKind::cancelled, "cancelled");
    session.state.camera.azimuth = begin + 360.0 * k / options.benchmark_frames;
    glFinish();
    const StopWatch watch;
    frame.draw(session, {options.size[0], options.size[1]}, nullptr, options.panels);
    glFinish();
    if (k < 0) continue;
    times.frame.push_back(watch.seconds());
    times.march.push_back(session.scene.view.volume.march_seconds());
  }
  session.state.camera.azimuth = begin;
  return times;
}

/// Recomputes a cloud's density for slightly different bandwidths, so that nothing can be reused.
nlohmann::ordered_json time_recomputes(ViewFrame& frame, ViewSession& session,
                                       const ViewOptions& options) {
  constexpr double kStep = 1.002;
  std::vector<double> whole, engine, beyond;
  const int count = std::min(options.benchmark_frames, kMostRecomputes);
  // Fixed: an automatic grid would change with the bandwidth, and its buffers with it.
  session.state.density.like = session.scene.density().grid();
  for (int k = -kWarmUps; k < count; ++k) {
    scale_bandwidth(session.state, session.scene, k % 2 == 0 ? kStep : 1 / kStep);
    const StopWatch watch;
    session.wait(cli::cancel_requested);
    frame.draw(session, {options.size[0], options.size[1]}, nullptr, options.panels);
    glFinish();
    if (k < 0) continue;
    whole.push_back(watch.seconds());
    engine.push_back(total(session.scene.density().facts().stages));
    beyond.push_back(whole.back() - engine.back());
  }
  return {{"request_to_picture", summary(whole)},
          {"engine", summary(engine)},
          {"beyond_engine", summary(beyond)}};
}

}  // namespace

nlohmann::ordered_json measure_frames(ViewFrame& frame, ViewSession& session,
                                      const ViewOptions& options) {
  const FrameTimes times = time_frames(frame, session, options);
  const Grid& grid = session.scene.density().grid();
  nlohmann::ordered_json json{{"renderer", renderer_name()},
                              {"size", options.size},
                              {"dims", grid.dims},
                              {"frames", options.benchmark_frames},
                              {"frame_ms", summary(times.frame)},
                              {"march_ms", summary(times.march)}};
  if (session.scene.cloud()) {
    json["samples"] = session.scene.cloud()->points.size();
    json["recompute_ms"] = time_recomputes(frame, session, options);
  }
  json["engine"] = session.scene.density().metadata.engine;
  json["path"] = session.scene.transfer.path();
  json["path_reason"] = session.scene.transfer.reason();
  if (const auto bytes = session.scene.transfer.device_bytes()) json["device_bytes"] = *bytes;
  return json;
}

}  // namespace skde::view

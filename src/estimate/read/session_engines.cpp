#include "estimate/read/session_engines.hpp"

#include <algorithm>
#include <utility>

#include "system/stop_watch.hpp"

namespace skde {

Engine& SessionEngines::named(const std::string& name, const EngineOptions& options) {
  if (options_ && !(*options_ == options)) {
    engines_.clear();
    places_.clear();
  }
  options_ = options;
  const auto found = std::ranges::find(engines_, name, &Made::name);
  if (found != engines_.end()) return *found->engine;
  engines_.push_back({name, make_engine(name, options)});
  return *engines_.back().engine;
}

SessionEngines::Place& SessionEngines::place_of(const Engine& engine) {
  const Device device = engine.traits().device;
  const auto found = std::ranges::find(places_, device, &Place::device);
  if (found != places_.end()) return *found;
  Place& place = places_.emplace_back();
  place.device = device;
  return place;
}

const LoadedSamples& SessionEngines::loaded(Engine& engine, const SamplesView& points,
                                            StageTimes& stages) {
  Place& place = place_of(engine);
  if (!place.current || place.xyz != points.xyz.data() ||
      place.widths != points.bandwidth_factors.data()) {
    const StopWatch loading;
    place.samples = engine.load(points, std::move(place.samples));
    place.sample_bytes =
        static_cast<std::int64_t>(points.xyz.size_bytes() + points.weights.size_bytes());
    place.current = true;
    place.xyz = points.xyz.data();
    place.widths = points.bandwidth_factors.data();
    if (place.device == Device::cuda) add_stages(stages, {{"upload", loading.seconds()}});
  }
  // Idle values on other devices are not needed while this device is in use.
  for (Place& other : places_)
    if (other.device != place.device) other.pool->trim();
  return *place.samples;
}

BufferPool& SessionEngines::pool(const Engine& engine) { return *place_of(engine).pool; }

std::int64_t SessionEngines::held_bytes(const Engine& engine) {
  const Place& place = place_of(engine);
  return place.sample_bytes + place.pool->idle_bytes();
}

void SessionEngines::forget_samples() {
  for (Place& place : places_) place.current = false;
}

}  // namespace skde

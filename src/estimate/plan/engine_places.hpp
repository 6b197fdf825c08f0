#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engines/registry/registry.hpp"
#include "estimate/stream/buffer_pool.hpp"

namespace skde {

/// The engines that a session has made. Engines of one device share the samples loaded there and a
/// pool of idle value buffers.
class EnginePlaces {
 public:
  /// Returns the engine with this name and these options. All engines are made anew if the options
  /// have changed. Throws what make_engine throws.
  Engine& engine(const std::string& name, const EngineOptions& options);
  /// Returns the samples where the engine works. Loads them unless they are there already with
  /// these places and per-sample bandwidths, and appends the time to `stages`.
  const LoadedSamples& loaded(Engine& engine, const SamplesView& points, StageTimes& stages);
  /// Returns the buffer pool of the engine's device.
  BufferPool& pool(const Engine& engine);
  /// Returns the bytes that samples and idle values hold on the engine's device.
  std::int64_t held_bytes(const Engine& engine);
  /// Marks the loaded samples as outdated.
  void forget_samples();

 private:
  struct Place {
    Device device;
    std::unique_ptr<LoadedSamples> samples;
    std::int64_t sample_bytes = 0;
    bool current = false;            ///< the loaded samples are those of the cloud
    const double* xyz = nullptr;     ///< places they were loaded with, which sharpening changes
    const double* widths = nullptr;  ///< per-sample bandwidths they were loaded with
    std::shared_ptr<BufferPool> pool = std::make_shared<BufferPool>();
  };
  struct Made {
    std::string name;
    std::unique_ptr<Engine> engine;
  };
  Place& place_of(const Engine& engine);

  std::optional<EngineOptions> options_;
  std::vector<Place> places_;  // destroyed after the engines
  std::vector<Made> engines_;
};

}  // namespace skde

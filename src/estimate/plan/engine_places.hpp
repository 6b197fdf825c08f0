#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engines/registry.hpp"
#include "estimate/stream/buffer_pool.hpp"

namespace skde {

/// The engines that a session has made, the samples that are loaded where they work, and the values
/// that they are done with. Engines of one device share both.
class EnginePlaces {
 public:
  /// The engine of that name with these options. All engines are made anew where the options have
  /// changed. Throws what make_engine throws.
  Engine& engine(const std::string& name, const EngineOptions& options);
  /// The samples where the engine works, loaded unless they are there with these widths. Times of
  /// loading are appended.
  const LoadedSamples& loaded(Engine& engine, const SamplesView& points, StageTimes& stages);
  /// Of the engine's device.
  BufferPool& pool(const Engine& engine);
  /// Bytes of the engine's device that its samples and idle values hold.
  std::int64_t held_bytes(const Engine& engine);
  /// The samples are others now.
  void forget_samples();

 private:
  struct Place {
    Device device;
    std::unique_ptr<LoadedSamples> samples;
    std::int64_t sample_bytes = 0;
    bool current = false;            ///< the samples are those of the cloud
    const double* widths = nullptr;  ///< that they were loaded with
    std::shared_ptr<BufferPool> pool = std::make_shared<BufferPool>();
  };
  struct Made {
    std::string name;
    std::unique_ptr<Engine> engine;
  };
  Place& place_of(const Engine& engine);

  std::optional<EngineOptions> options_;
  std::vector<Place> places_;  // ends after the engines
  std::vector<Made> engines_;
};

}  // namespace skde

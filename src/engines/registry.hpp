#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "engines/engine.hpp"

namespace skde {

/// A row of the table of engines.
struct EngineEntry {
  EngineTraits traits;
  /// Why this engine cannot run here, e.g. "built without the CUDA toolkit"; empty where it can.
  std::string (*unavailable)();
  std::unique_ptr<Engine> (*create)(const EngineOptions& options);
};

/// All engines that skde knows, also those that this build or machine cannot run.
std::span<const EngineEntry> engine_table();

/// True where some engine of the device can run here.
bool has_device(Device device);

/// The engine of that name. Throws Error(usage) that names the nearest one where there is none,
/// Error(resources) with the reason where it is unavailable.
std::unique_ptr<Engine> make_engine(std::string_view name, const EngineOptions& options);

}  // namespace skde

#pragma once

#include <memory>

#include "engines/engine.hpp"

namespace skde {

inline constexpr EngineTraits kTileTraits{
    .name = "tile",
    .summary =
        "tiles on the CPU: each sums the kernels that reach it, any profile, a shape a sample",
    .device = Device::cpu,
    .deterministic = true,
    .error_f32 = 2e-6,
    .error_f64 = 1e-12,
    .drift_f32 = 0};

std::unique_ptr<Engine> make_tile(const EngineOptions& options);

}  // namespace skde

#pragma once

#include <memory>

#include "engines/engine.hpp"

namespace skde {

inline constexpr EngineTraits kRangesTraits{
    .name = "ranges",
    .summary = "densities at points: blocks of them against the ranges of samples that reach them",
    .device = Device::cpu,
    .deterministic = true,
    .error_f32 = 2e-6,
    .error_f64 = 1e-12,
    .drift_f32 = 0,
    .serves_grids = false};

std::unique_ptr<Engine> make_ranges(const EngineOptions& options);

}  // namespace skde

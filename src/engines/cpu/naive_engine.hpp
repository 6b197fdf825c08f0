#pragma once

#include <memory>

#include "engines/engine.hpp"

namespace skde {

inline constexpr EngineTraits kNaiveTraits{
    .name = "naive",
    .summary = "evaluation-space on the CPU: each cell sums over all samples",
    .device = Device::cpu,
    .deterministic = true,
    .error_f32 = 2e-5,
    .error_f64 = 1e-12,
    .drift_f32 = 1e-11};

std::unique_ptr<Engine> make_naive(const EngineOptions& options);

}  // namespace skde

#pragma once

#include <memory>

#include "engines/engine.hpp"

namespace skde {

inline constexpr EngineTraits kOpenmpTraits{
    .name = "openmp",
    .summary =
        "S-KDE on the CPU as its authors parallelise it: samples over threads, atomic additions",
    .device = Device::cpu,
    .deterministic = false,
    .error_f32 = 2e-5,
    .error_f64 = 1e-12,
    .drift_f32 = 2e-8};

std::unique_ptr<Engine> make_openmp(const EngineOptions& options);

}  // namespace skde

#pragma once

#include <memory>

#include "engines/engine.hpp"

namespace skde {

inline constexpr EngineTraits kSpanTraits{
    .name = "span",
    .summary = "row spans on the CPU: slices owned by threads, SIMD rows, long ones by differences",
    .device = Device::cpu,
    .deterministic = true,
    .error_f32 = 2e-5,
    .error_f64 = 1e-12,
    .drift_f32 = 0x1p-41,  // one rounding of float a part of 2^16 samples, the least that are read
    .sums_integers = true};

std::unique_ptr<Engine> make_span(const EngineOptions& options);

}  // namespace skde

#pragma once

#include <memory>

#include "engines/engine.hpp"

namespace skde {

inline constexpr EngineTraits kSpectralTraits{
    .name = "spectral",
    .summary = "transforms on the CPU: samples spread by B-splines, FFTs, the kernel's transform",
    .device = Device::cpu,
    .deterministic = true,
    .error_f32 = 1e-6,
    .error_f64 = 9.9e-7,
    .approximates = true};

std::unique_ptr<Engine> make_spectral(const EngineOptions& options);

}  // namespace skde

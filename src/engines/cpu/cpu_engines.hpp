#pragma once

#include <memory>

#include "engines/engine.hpp"

namespace skde {

// The CPU engines: their traits and the functions that make them.

inline constexpr EngineTraits kNaiveTraits{
    .name = "naive",
    .summary = "evaluation-space on the CPU: each cell sums over all samples",
    .device = Device::cpu,
    .deterministic = true,
    .error_f32 = 2e-5,
    .error_f64 = 1e-12,
    .drift_f32 = 1e-11};

inline constexpr EngineTraits kOpenmpTraits{
    .name = "openmp",
    .summary =
        "S-KDE on the CPU as its authors parallelise it: samples over threads, atomic additions",
    .device = Device::cpu,
    .deterministic = false,
    .error_f32 = 2e-5,
    .error_f64 = 1e-12,
    .drift_f32 = 2e-8};

inline constexpr EngineTraits kSpanTraits{
    .name = "span",
    .summary = "row spans on the CPU: threads own slices, SIMD rows, difference sums for long rows",
    .device = Device::cpu,
    .deterministic = true,
    .error_f32 = 2e-5,
    .error_f64 = 1e-12,
    .drift_f32 = 0x1p-41,  // one float rounding per part; parts have at least 2^16 samples
    .sums_integers = true};

inline constexpr EngineTraits kTileTraits{.name = "tile",
                                          .summary =
                                              "tiles on the CPU: each sums the kernels that reach "
                                              "it, with any profile and per-sample shapes",
                                          .device = Device::cpu,
                                          .deterministic = true,
                                          .error_f32 = 2e-6,
                                          .error_f64 = 1e-12,
                                          .drift_f32 = 0,
                                          .takes_means = true};

inline constexpr EngineTraits kSpectralTraits{
    .name = "spectral",
    .summary = "transforms on the CPU: samples spread by B-splines, FFTs, the kernel's transform",
    .device = Device::cpu,
    .deterministic = true,
    .error_f32 = 1e-6,
    .error_f64 = 9.9e-7,
    .approximates = true,
    .takes_means = true};

inline constexpr EngineTraits kRangesTraits{.name = "ranges",
                                            .summary =
                                                "densities at points on the CPU: blocks of points "
                                                "against the ranges of samples that reach them",
                                            .device = Device::cpu,
                                            .deterministic = true,
                                            .error_f32 = 2e-6,
                                            .error_f64 = 1e-12,
                                            .drift_f32 = 0,
                                            .serves_grids = false};

std::unique_ptr<Engine> make_naive(const EngineOptions& options);
std::unique_ptr<Engine> make_openmp(const EngineOptions& options);
std::unique_ptr<Engine> make_span(const EngineOptions& options);
std::unique_ptr<Engine> make_tile(const EngineOptions& options);
std::unique_ptr<Engine> make_spectral(const EngineOptions& options);
std::unique_ptr<Engine> make_ranges(const EngineOptions& options);

}  // namespace skde

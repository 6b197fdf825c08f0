#pragma once

#include "engines/engine.hpp"

namespace skde {

/// Traits of the CUDA engines. Builds without CUDA list them as well.
inline constexpr EngineTraits kCudaNaiveTraits{
    .name = "cuda-naive",
    .summary = "sample-wise on a GPU without chop and crop: every sample in every cell",
    .device = Device::cuda,
    .deterministic = false,
    .error_f32 = 2e-5,
    .error_f64 = 1e-12,
    .drift_f32 = 2e-8};

inline constexpr EngineTraits kCudaChopCropTraits{
    .name = "cuda-chop-crop",
    .summary =
        "S-KDE on a GPU: kernels chopped into slices, slices cropped, cells added atomically",
    .device = Device::cuda,
    .deterministic = false,
    .error_f32 = 2e-5,
    .error_f64 = 1e-12,
    .drift_f32 = 2e-8,
    .sums_integers = true};

inline constexpr EngineTraits kCudaSpanTraits{
    .name = "cuda-span",
    .summary = "row spans on a GPU: kernels added at the ends of each row, then one scan",
    .device = Device::cuda,
    .deterministic = true,
    .error_f32 = 2e-6,
    .error_f64 = 0};

inline constexpr EngineTraits kCudaTileTraits{
    .name = "cuda-tile",
    .summary =
        "tiles on a GPU: each warp sums the kernels that reach its tile, with any profile and "
        "per-sample shapes",
    .device = Device::cuda,
    .deterministic = true,
    .error_f32 = 2e-6,
    .error_f64 = 1e-12,
    .takes_means = true};

inline constexpr EngineTraits kCudaSpectralTraits{
    .name = "cuda-spectral",
    .summary = "transforms on a GPU: samples spread by B-splines, FFTs, the kernel's transform",
    .device = Device::cuda,
    .deterministic = true,
    .error_f32 = 1e-6,
    .error_f64 = 9.9e-7,
    .approximates = true,
    .takes_means = true};

inline constexpr EngineTraits kCudaRangesTraits{
    .name = "cuda-ranges",
    .summary = "densities at points on a GPU: blocks of points against ranges of sorted samples",
    .device = Device::cuda,
    .deterministic = true,
    .error_f32 = 2e-6,
    .error_f64 = 1e-12,
    .serves_grids = false};

}  // namespace skde

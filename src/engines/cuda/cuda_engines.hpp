#pragma once

#include <memory>
#include <string>

#include "engines/engine.hpp"

/// What the registry needs of the CUDA engines; no CUDA header comes with it.
namespace skde {

/// Why no CUDA engine can run on this machine; empty where they can.
std::string cuda_unavailable_reason();
/// How many devices there are; 0 where none can be used.
int cuda_device_count();

std::unique_ptr<Engine> make_cuda_naive(const EngineOptions& options);
std::unique_ptr<Engine> make_cuda_chop_crop(const EngineOptions& options);
std::unique_ptr<Engine> make_cuda_span(const EngineOptions& options);
std::unique_ptr<Engine> make_cuda_tile(const EngineOptions& options);
std::unique_ptr<Engine> make_cuda_ranges(const EngineOptions& options);

/// The same for transforms, which need cuFFT besides.
std::string cuda_spectral_unavailable_reason();
std::unique_ptr<Engine> make_cuda_spectral(const EngineOptions& options);

}  // namespace skde

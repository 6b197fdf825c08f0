#pragma once

#include <memory>
#include <string>

#include "engines/engine.hpp"

/// What the registry needs of the CUDA engines, without any CUDA header.
namespace skde {

/// Returns why no CUDA engine can run on this machine; empty if they can.
std::string cuda_unavailable_reason();
/// Returns the number of devices; 0 if none can be used.
int cuda_device_count();

std::unique_ptr<Engine> make_cuda_naive(const EngineOptions& options);
std::unique_ptr<Engine> make_cuda_chop_crop(const EngineOptions& options);
std::unique_ptr<Engine> make_cuda_span(const EngineOptions& options);
std::unique_ptr<Engine> make_cuda_tile(const EngineOptions& options);
std::unique_ptr<Engine> make_cuda_ranges(const EngineOptions& options);

/// As cuda_unavailable_reason(), for the spectral engine, which also needs cuFFT.
std::string cuda_spectral_unavailable_reason();
std::unique_ptr<Engine> make_cuda_spectral(const EngineOptions& options);

}  // namespace skde

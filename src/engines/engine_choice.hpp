#pragma once

#include <optional>
#include <string_view>

#include "core/ellipsoid.hpp"
#include "core/kernel_function.hpp"
#include "engines/engine.hpp"

namespace skde {

/// What decides how long a density takes.
struct Workload {
  std::int64_t samples = 0;
  bool weighted = false;
  KernelFunction kernel = KernelFunction::epanechnikov;
  Ellipsoid<double> ellipsoid;  ///< of the kernel, in cells
  Grid grid;
};

/// Seconds that `span`, `cuda-span` or `cuda-chop-crop` will need, without transfers: a sum of the
/// counts that matter (samples, tiles or rows that their kernels meet, cells) with costs fitted to
/// the sweep of src/bench/measure/engine_choice_sweep.py on an H200 and on AVX-512 cores. Infinite
/// where the engine does not serve the case.
double predicted_seconds(std::string_view engine, const Workload& work,
                         const EngineOptions& options);

/// The engine that will be done first, with the start of the GPU and the transfers, where nobody
/// names one. `device` limits the choice. Throws Error(resources) where it asks for a GPU that is
/// not there.
std::string_view choose_engine(const Workload& work, const EngineOptions& options,
                               std::optional<Device> device = {});

}  // namespace skde

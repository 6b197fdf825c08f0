#pragma once

#include "estimate/density.hpp"
#include "estimate/read/cloud_source.hpp"
#include "estimate/stream/slice_sink.hpp"

namespace skde {

/// Runs a plan; the values stay where the engine works. Throws the plan's obstacle, what the engine
/// and reading throw, and Error(input) if no kernel covers a cell or values are beyond the range of
/// their type.
Density run_density(CloudSource& source, const DensityPlan& plan, Progress& progress);

/// Runs a plan slab by slab into a sink. Throws the same.
DensityFacts stream_density(CloudSource& source, const DensityPlan& plan, SliceSink& sink,
                            Progress& progress);

}  // namespace skde

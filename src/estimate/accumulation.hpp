#pragma once

#include "core/kernel_shape.hpp"
#include "core/kernel_work.hpp"
#include "core/moments.hpp"
#include "core/stage_times.hpp"
#include "estimate/memory_plan.hpp"
#include "estimate/sample_chunks.hpp"

namespace skde {

/// A volume summed over all parts of a cloud.
struct Accumulation {
  Volume volume;
  StageTimes stages;          ///< of the engine, summed over parts and slabs
  KernelWork work;            ///< of all samples, as some of every part tell
  double engine_seconds = 0;  ///< of the engine's prepare() and run() alone
};

/// Runs the engine over every part of the samples for every slab of the volume; samples of one part
/// must be loaded already. `total_weight` as in DensityProblem. Where `moments` is not null, the
/// parts' moments are added to it. The progress counts samples over all slabs.
Accumulation accumulate(Engine& engine, SampleChunks& chunks, const EllipsoidKernel& kernel,
                        const Grid& grid, double total_weight, Precision precision,
                        const MemoryPlan& plan, Moments* moments, Progress& progress);

}  // namespace skde

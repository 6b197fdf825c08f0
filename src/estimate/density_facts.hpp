#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/cloud/moments.hpp"
#include "core/density_metadata.hpp"
#include "core/kernel/kernel_work.hpp"
#include "core/kernel/mass_in_box.hpp"
#include "core/report/stage_times.hpp"
#include "core/report/warning.hpp"
#include "estimate/plan/density_plan.hpp"
#include "estimate/sum/error_probe.hpp"

namespace skde {

/// How a density came about: its plan, and what came of it.
struct DensityFacts : DensityPlan {
  double mass_in_box = 0;  ///< share of the total weight whose kernels lie inside the box
  double sum_in_box = 0;   ///< the same as the cells sum it up
  MassInBox in_box;        ///< of the samples, as far as counted
  std::optional<MeasuredError> measured;  ///< of values that are approximated
  double peak = 0;                        ///< the largest value, normalised as asked for
  std::string launch_policy;
  StageTimes stages;
  StageTimes run_stages;         ///< those of them that are the engine's
  KernelWork work;               ///< of all samples, as some of every part tell
  ThinCounts thin;               ///< of the samples whose kernels were widened
  std::size_t buffers_made = 0;  ///< that could not be used again from runs before
  double engine_seconds = 0;     ///< of the engine's own stages: no reading, no copies of samples
  double run_seconds = 0;  ///< of the same by the host's clock, with the zeroing of the values
  std::vector<Warning> warnings;  ///< what may mislead; every face shows them
  double seconds = 0;             ///< of the whole, from the request to the values

  /// Share of the total weight whose kernels lie in the box but between the cell centres.
  double unseen_mass() const { return work.unseen_weight / moments.total_weight(); }

  /// Updates a second of the engine; 0 where its clock saw nothing.
  double updates_per_second() const {
    return engine_seconds > 0 ? work.updates / engine_seconds : 0;
  }
};

/// The record for volume files, with units that were given for all axes, or those that the samples'
/// files name; command line and version are the caller's.
DensityMetadata describe(const DensityFacts& facts, const std::string& units = {});

}  // namespace skde

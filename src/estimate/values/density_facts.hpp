#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/cloud/moments.hpp"
#include "core/density_metadata.hpp"
#include "core/kernel/kernel_work.hpp"
#include "core/kernel/mass_in_box.hpp"
#include "core/report/error.hpp"
#include "core/report/stage_times.hpp"
#include "estimate/values/density_plan.hpp"

namespace skde {

/// Errors of values, measured at some cells.
struct MeasuredError {
  double error = 0;  ///< the largest, as a share of the peak
  std::size_t cells = 0;

  friend bool operator==(const MeasuredError&, const MeasuredError&) = default;
};

/// How a density came about: what its plan decided, and the results of its run.
struct DensityFacts : DensityDecisions {
  DensityFacts() = default;
  explicit DensityFacts(const DensityDecisions& decided) : DensityDecisions(decided) {}

  double mass_in_box = 0;  ///< share of the total weight whose kernels lie inside the box
  double sum_in_box = 0;   ///< the same share, as the sum over the cells
  MassInBox in_box;        ///< samples in and outside the box, as far as counted
  std::optional<MeasuredError> measured;  ///< set if the values are approximated
  double peak = 0;                        ///< the largest value, normalised as asked for
  std::string launch_policy;
  StageTimes stages;
  StageTimes run_stages;          ///< the engine's own stages among them
  WorkCount work;                 ///< of all samples, estimated from some of each part
  ThinCounts thin;                ///< of the samples with widened kernels
  std::size_t buffers_made = 0;   ///< newly allocated, as none of earlier runs could be reused
  double engine_seconds = 0;      ///< time in the engine's own stages: no reading, no copies of
                                  ///< samples
  double run_seconds = 0;         ///< the same by the host's clock, plus zeroing the values
  std::vector<Warning> warnings;  ///< what may mislead; every interface shows them
  double seconds = 0;             ///< in total, from the request to the values

  /// Returns the share of the weight whose kernels lie in the box but between the cell centres.
  double unseen_mass() const {
    if (request.cells == CellValue::mean) return 0;  // cells see all that is in them
    return work.value().unseen_weight / moments.total_weight();
  }

  /// Returns the engine's kernel updates per second; 0 if its clock measured nothing.
  double updates_per_second() const {
    return engine_seconds > 0 ? work.value().updates / engine_seconds : 0;
  }
};

/// Densities at points, normalised as requested.
struct PointDensity {
  DensityFacts facts;  ///< its grid is only the box of the boundaries
  std::vector<double> values;
  std::vector<double> gradients;  ///< 3 per point; empty if not requested
};

/// Means over the samples, at points.
struct PointMeans {
  DensityFacts facts;
  std::vector<double> values;  ///< one per channel for each point
};

/// Returns the metadata for volume files. `units` applies to all axes; if empty, the units in the
/// samples' files are used. The caller adds command line and version.
DensityMetadata describe(const DensityFacts& facts, const std::string& units = {});

}  // namespace skde

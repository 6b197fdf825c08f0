#pragma once

#include <memory>

#include "estimate/read/cloud_source.hpp"
#include "estimate/read/part_statistics.hpp"
#include "estimate/read/sample_parts.hpp"
#include "estimate/values/density_plan.hpp"

namespace skde {

/// Reads the blocks of an indexed file, which planning has opened.
std::shared_ptr<const Samples> read_blocks(CloudSource& source, const BlockChoice& blocks,
                                           Progress& progress);

/// Returns whether no kernel reaches out of the box, as with default bounds.
bool all_inside(const DensityDecisions& plan);

/// Returns what gathers the statistics of a plan's samples; nothing is read yet.
std::unique_ptr<StartedParts> start_parts(const DensityPlan& plan);

/// Opens the files of the source part by part; reading continues where planning stopped. `look`
/// must outlive the parts.
std::unique_ptr<FileParts> open_parts(CloudSource& source, const DensityPlan& plan,
                                      const PartStatistics& look, std::int64_t samples_a_part,
                                      Engine* engine, Progress& progress);

/// The samples of a plan on their way to its engine.
struct PlannedParts {
  std::unique_ptr<StartedParts> started;  ///< holds the statistics of the samples
  std::unique_ptr<SampleParts> parts;
  const FileParts* files = nullptr;  ///< source of the parts; null if it is memory
};
/// Makes the parts of a plan. `problem` is the plan's; images at the faces and the weights of a
/// single pass change it. Throws what loading samples and BoundaryImages throw.
PlannedParts make_parts(CloudSource& source, const DensityPlan& plan, Engine& engine,
                        Problem& problem, Progress& progress);

}  // namespace skde

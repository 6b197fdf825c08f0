#pragma once

#include <string>
#include <vector>

#include "core/report/progress.hpp"
#include "estimate/plan/sums_plan.hpp"

namespace skde {

/// Returns the integer sums of a density over a part of a cloud. Throws the plan's obstacle, what
/// io::CloudStream throws, and Error(input) if the samples are not among those of the moments.
PartialSums sum_part(const CloudFiles& files, const SumsPlan& plan, Progress& progress);

/// Adds up files of partial sums, or of moments. Throws Error(input) if they do not fit together
/// or, for `whole` clouds, if a part is missing.
PartialSums merge_partial_sums(const std::vector<std::string>& paths, bool whole,
                               const io::OpenFiles& files, Progress& progress);
PartialCloud merge_moments(const std::vector<std::string>& paths, bool whole,
                           const io::OpenFiles& files);

}  // namespace skde

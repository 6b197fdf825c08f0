#pragma once

#include <string>
#include <vector>

#include "core/report/progress.hpp"
#include "estimate/plan/sums_plan.hpp"

namespace skde {

/// The sums of a density over a part of a cloud, in integers. Throws the plan's obstacle, what
/// io::CloudStream throws, and Error(input) where the samples are not those of the moments.
PartialSums sum_part(const CloudFiles& files, const SumsPlan& plan, Progress& progress);

/// Adds up files of partial sums, or of moments. Error(input) where they do not go together, or,
/// of `whole` clouds, a part is missing.
PartialSums merge_partial_sums(const std::vector<std::string>& paths, bool whole,
                               const io::OpenFiles& files, Progress& progress);
PartialCloud merge_moments(const std::vector<std::string>& paths, bool whole,
                           const io::OpenFiles& files);

}  // namespace skde

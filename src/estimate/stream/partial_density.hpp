#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/cloud/partial_sums.hpp"
#include "core/report/progress.hpp"
#include "core/report/warning.hpp"
#include "core/volume.hpp"
#include "estimate/request.hpp"

namespace skde {

/// What is asked of a part of a cloud.
struct PartialRequest {
  DensityRequest density;
  io::CloudPart part{};
  /// Of all parts together: bandwidth, box and the scale of the whole numbers follow from them.
  /// Without them all of these must not depend on the samples, which have no weights then.
  std::optional<PartialCloud> whole{};
  std::int64_t memory_limit = 0;  ///< bytes of host memory; 0: what is available
  std::int64_t slabs = 1;         ///< of the grid, of which this process sums one
  /// What is known of the samples without moments: how many there are at a time, and the largest
  /// weight of one; 0: nothing.
  double most_samples = 0, largest_weight = 0;
};

/// Reads part of a cloud for its moments, whose bits do not depend on how it was divided. Throws
/// what io::CloudStream throws.
PartialCloud read_part_moments(const CloudFiles& files, io::CloudPart part, Progress& progress);

/// The same by so many threads (0: one a core), and keeps the samples.
PartialCloud read_part(const CloudFiles& files, io::CloudPart part, int threads, Samples& samples,
                       Progress& progress);

/// Error(resources) where the sums of so many slices, and the work on them, do not fit.
void require_room(const PartialRequest& request, const PartialProblem& problem,
                  std::int64_t slices);

/// What the sums of every part of a cloud have in common. Error(usage) where it follows from
/// samples whose moments are not given and of which nothing else is known, Error(unsupported) for
/// what is not summed in parts: widths of samples; and what set_up_density throws.
PartialHead set_up_parts(const PartialRequest& request, const CloudFiles& files);

/// The sums of a density over a part of a cloud, in whole numbers. Throws what set_up_parts and
/// io::CloudStream throw, Error(resources) where they do not fit into memory, and Error(input)
/// where the samples are not those of the moments.
PartialSums sum_part(const CloudFiles& files, const PartialRequest& request, Progress& progress);

/// Adds up files of partial sums, or of moments. Error(input) where they do not go together, or,
/// of `whole` clouds, a part is missing.
PartialSums merge_partial_sums(const std::vector<std::string>& paths, bool whole,
                               const io::OpenFiles& files, Progress& progress);
PartialCloud merge_moments(const std::vector<std::string>& paths, bool whole,
                           const io::OpenFiles& files);

/// What sums over all cells come to.
struct SumTotals {
  double sum = 0;  ///< the nearest double
  std::int64_t largest = 0;
};
SumTotals totals_of(const std::vector<std::int64_t>& sums);

/// What becomes of sums: values are they times the factor.
struct MergedFacts {
  double factor = 0, peak = 0;
  DensityMetadata metadata;  ///< but for command line and version
  std::vector<Warning> warnings;
};
/// What sums that are 0 all over the grid are: mostly a mistake, but not of a window that others
/// come after.
enum class EmptySums { error, zero };
/// Error(input) where the sums are 0, unless they may be (not for an integral of 1 over the box),
/// or beyond the range of their type.
MergedFacts facts_of(const PartialHead& head, const SumTotals& totals, Normalization normalization,
                     EmptySums empty = EmptySums::error);
/// The values of sums over a grid.
Volume volume_of(const Grid& grid, Precision precision, const std::vector<std::int64_t>& sums,
                 double factor);

/// A density of partial sums.
struct MergedDensity {
  Volume volume;
  DensityMetadata metadata;  ///< but for command line and version
  double peak = 0;
  std::vector<Warning> warnings{};
};
/// Throws what facts_of throws.
MergedDensity density_of(const PartialHead& head, const std::vector<std::int64_t>& sums,
                         Normalization normalization, EmptySums empty = EmptySums::error);

}  // namespace skde

#pragma once

#include <cstdint>
#include <vector>

#include "core/cloud/partial_sums.hpp"
#include "core/density_metadata.hpp"
#include "core/report/warning.hpp"
#include "core/volume.hpp"

namespace skde {

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
struct MergedDensity : MergedFacts {
  Volume volume;
};
/// Throws what facts_of throws.
MergedDensity density_of(const PartialHead& head, const std::vector<std::int64_t>& sums,
                         Normalization normalization, EmptySums empty = EmptySums::error);

}  // namespace skde

#pragma once

#include <cstdint>
#include <vector>

#include "core/density_metadata.hpp"
#include "core/partial_sums.hpp"
#include "core/report/error.hpp"
#include "core/space/volume.hpp"

namespace skde {

/// Totals of the sums over all cells.
struct SumTotals {
  double sum = 0;  ///< rounded to the nearest double
  std::int64_t largest = 0;
};
SumTotals totals_of(const std::vector<std::int64_t>& sums);

/// What follows from the sums. Values are the sums times `factor`.
struct MergedFacts {
  double factor = 0, peak = 0;
  DensityMetadata metadata;  ///< without command line and version
  std::vector<Warning> warnings;
};
/// What it means if the sums are 0 all over the grid. That is mostly a mistake, but not for a
/// window that others follow.
enum class EmptySums { error, zero };
/// Throws Error(input) if the sums are 0 and `empty` does not permit it (never for an integral of 1
/// over the box), or if values are beyond the range of their type.
MergedFacts facts_of(const PartialHead& head, const SumTotals& totals, Normalization normalization,
                     EmptySums empty = EmptySums::error);
/// Returns the values of sums over a grid.
Volume volume_of(const Grid& grid, Precision precision, const std::vector<std::int64_t>& sums,
                 double factor);

/// A density made of partial sums.
struct MergedDensity : MergedFacts {
  Volume volume;
};
/// Returns the density of partial sums. Throws what facts_of throws.
MergedDensity density_of(const PartialHead& head, const std::vector<std::int64_t>& sums,
                         Normalization normalization, EmptySums empty = EmptySums::error);

}  // namespace skde

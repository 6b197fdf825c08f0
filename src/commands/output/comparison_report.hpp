#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/density_comparison.hpp"
#include "commands/output/volume_output.hpp"

namespace skde::cli {

/// Facts about the volume that was resampled onto the grid of the other.
struct ResampledFacts {
  std::string path;
  double mass_before = 0, mass_after = 0, mass_inside = 0;  ///< as in ResampledDensity
};

/// The volume of ratios that was written.
struct RatioFacts {
  std::string values;  ///< "ratio" or "log_ratio"
  double share = 0, floor = 0;
  std::int64_t floored_cells = 0;
};

/// The result of `skde compare`.
struct ComparisonRun {
  std::string path_a, path_b;
  Grid grid;
  Precision precision = Precision::f32;
  std::string units;
  DensityComparison found;
  std::optional<ResampledFacts> resampled;
  std::optional<RatioFacts> ratio;
  std::optional<DensitySignificance> significance;
  std::vector<Warning> warnings;
  std::vector<WrittenFile> written;
};

void add_fields(Fields<ComparisonRun>& fields);

}  // namespace skde::cli

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/results/any_table.hpp"
#include "commands/output/volume_output.hpp"
#include "estimate/values/density_facts.hpp"

namespace skde::cli {

/// The points at which values were requested.
struct MeanPoints {
  std::string file;
  std::uint64_t rows = 0, evaluated = 0;
  std::uint64_t unreached = 0;  ///< points that no sample reaches
};
void add_fields(Fields<MeanPoints>& add);

/// The result of `skde smooth`.
struct MeanRun {
  std::vector<std::string> inputs, values;  ///< names of columns
  io::CloudCounts counts;
  io::ReadColumns columns;
  DensityFacts facts;
  Precision precision = Precision::f32;  ///< of volumes
  std::optional<MeanPoints> points;      ///< unset: on a grid
  std::uint64_t unreached = 0;           ///< points or cells
  std::vector<Warning> warnings;
  double seconds = 0;
  std::vector<WrittenFile> written;
};

/// Records warnings of dropped rows, and of places without a mean.
void keep_warnings(MeanRun& run);
void add_fields(Fields<MeanRun>& fields);

}  // namespace skde::cli

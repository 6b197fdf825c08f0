#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/standard_error.hpp"
#include "cli/results/any_table.hpp"
#include "commands/output/volume_output.hpp"
#include "estimate/values/density_facts.hpp"
#include "io/points/cloud_stream.hpp"

namespace skde::cli {

/// The result of `skde density`.
struct DensityRun {
  std::vector<std::string> inputs;
  const DensityFacts* facts = nullptr;
  std::string covariance;  ///< source of S: a word of --covariance, or "file"
  std::optional<StandardErrorFacts> standard_error;
  std::string units;
  StageTimes stages;  ///< in order, from reading to writing
  double seconds = 0;
  std::int64_t peak_memory = 0;
  std::vector<WrittenFile> written;
  bool verbose = false;  ///< report the time of every stage
};

/// Lengths are in world units, times in seconds, sizes in bytes.
void add_fields(Fields<DensityRun>& fields);

}  // namespace skde::cli

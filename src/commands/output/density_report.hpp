#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/results/any_table.hpp"
#include "commands/output/volume_output.hpp"
#include "estimate/density_facts.hpp"
#include "io/points/cloud_stream.hpp"

namespace skde::cli {

/// All that `skde density` tells of a run.
struct DensityRun {
  std::vector<std::string> inputs;
  const DensityFacts* facts = nullptr;
  std::string covariance;  ///< what S was: a word of --covariance, or "file"
  std::optional<double>
      plug_in_h;  ///< beside h of another rule, for people, where it was soon known
  std::string units;
  StageTimes stages;  ///< reading first, writing last
  double seconds = 0;
  std::int64_t peak_memory = 0;
  std::vector<WrittenFile> written;
  bool verbose = false;  ///< people are told the time of every stage
};

/// Lengths are in world units, times in seconds, sizes in bytes.
void add_fields(Fields<DensityRun>& fields);

}  // namespace skde::cli

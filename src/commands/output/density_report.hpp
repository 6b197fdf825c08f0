#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/report.hpp"
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
};

/// The summary for people; `verbose`: with the time of every stage.
std::string density_summary(const DensityRun& run, bool verbose);
/// The same as one JSON object; lengths in world units, times in seconds, sizes in bytes.
nlohmann::ordered_json density_json(const DensityRun& run);

}  // namespace skde::cli

#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analysis/bootstrap_bandwidth.hpp"
#include "bandwidth/bandwidth_search.hpp"
#include "commands/output/volume_output.hpp"
#include "core/report/error.hpp"
#include "io/points/cloud_stream.hpp"
#include "pictures/score_picture.hpp"

namespace skde::cli {

/// The result of `skde bandwidth`.
struct BandwidthRun {
  std::vector<std::string> inputs;
  io::CloudCounts counts;
  io::ReadColumns columns;
  double effective_samples = 0;
  std::string method, kernel;
  std::string covariance;  ///< source of S: a word of --covariance, or "file"
  Bandwidth bandwidth;
  double silverman = 0;  ///< h of Silverman's rule, for comparison; 0 if undefined
  std::optional<ScoredBandwidth> best;
  std::vector<ScoredBandwidth> curve;  ///< by h; empty for rules that use only moments
  std::uint64_t subsample = 0;         ///< samples used for scoring; 0: all
  std::optional<BootstrapResult> bootstrap;
  std::vector<Warning> warnings;
  double seconds = 0;
  std::vector<WrittenFile> written;
};

void add_fields(Fields<BandwidthRun>& fields);
/// Returns the curve as CSV with a header, with all digits.
std::string bandwidth_csv(const BandwidthRun& run);
ScoreChart bandwidth_chart(const BandwidthRun& run);

}  // namespace skde::cli

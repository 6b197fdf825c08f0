#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/held_out_samples.hpp"
#include "commands/output/volume_output.hpp"
#include "estimate/values/density_facts.hpp"
#include "io/points/mixture_file.hpp"
#include "mixture/mixture_fit.hpp"

namespace skde::cli {

/// The result of `skde fit`.
struct FitRun {
  std::vector<std::string> inputs;
  std::optional<DensityFacts> density{};  ///< of the cloud; none if a volume was given
  DensityMetadata metadata{};             ///< of the density or the volume
  Grid grid{};
  Precision precision = Precision::f32;
  FitSpec spec{};
  bool resumed = false, cancelled = false;
  FitFacts found{};
  std::optional<Symmetric3> kernel_covariance{};  ///< that every ellipsoid contains; none: unknown
  std::optional<SampledDivergence> held_out{};
  double held_out_share = 0;
  std::optional<std::int64_t> cloud_bytes{};  ///< of the cloud's files, if all of them are files
  double seconds = 0;
  std::vector<Warning> warnings{};
  std::vector<WrittenFile> written{};
};

/// Divergences are in nats, times in seconds, sizes in bytes.
void add_fields(Fields<FitRun>& fields);

/// Returns what the file of the mixture states: the fields of the result that are known before it
/// is written, with their parts joined by dots, and the command line.
io::MixtureFacts fit_facts(const FitRun& run, const std::string& command_line);

}  // namespace skde::cli

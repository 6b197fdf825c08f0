#pragma once

#include <optional>
#include <vector>

#include "bandwidth/bandwidth.hpp"
#include "bandwidth/bandwidth_search.hpp"
#include "bandwidth/cross_validation.hpp"
#include "core/cloud/moments.hpp"
#include "core/report/warning.hpp"
#include "core/report/work_forecast.hpp"

namespace skde {

/// Whether a spec asks for a rule that judges bandwidths by the samples themselves.
bool goes_by_evidence(const BandwidthSpec& spec);

/// What a bandwidth by evidence is looked for with, beside the samples.
struct EvidenceSpec {
  BandwidthSpec bandwidth;  ///< of such a rule
  KernelFunction kernel{};

  friend bool operator==(const EvidenceSpec&, const EvidenceSpec&) = default;
};

/// How it is looked for.
struct EvidenceEffort {
  int threads = 0;
  double most_bytes = 0;                   ///< of host memory
  double ratio = 1.25;                     ///< of neighbouring bandwidths of the curve
  std::optional<double> lower{}, upper{};  ///< of the curve; both or none
};

/// A bandwidth by evidence and what speaks for it.
struct EvidenceBandwidth {
  Bandwidth bandwidth;
  ScoredBandwidth best;
  std::vector<ScoredBandwidth> curve;  ///< by h
  double reference = 0;                ///< h of Silverman's rule
  LonelySamples lonely;                ///< in the likelihood
  std::vector<Warning> warnings;
};

/// The samples as a score wants them: S, an h to begin with, and the kernel that judges.
/// Error(usage) where samples have widths or shapes of their own; Error(resources) where what it
/// takes does not fit into memory; what select_bandwidth throws.
EvidenceCloud evidence_cloud(const SamplesView& samples, const Moments& moments,
                             const EvidenceSpec& spec, const EvidenceEffort& effort);

/// Predicts time and memory of evidence_bandwidth(). Throws what evidence_cloud throws.
WorkForecast evidence_forecast(const SamplesView& samples, const Moments& moments,
                               const EvidenceSpec& spec, const EvidenceEffort& effort);

/// Looks for it. The score of lcv is that of the Gaussian whatever the kernel, and of lscv and the
/// uniform kernel Epanechnikov's; h is then scaled canonically (`bandwidth.judge`). Throws what
/// evidence_cloud throws, Error(input) where the score has no least value (it names the samples
/// that lie at one place), Error(cancelled).
EvidenceBandwidth evidence_bandwidth(const SamplesView& samples, const Moments& moments,
                                     const EvidenceSpec& spec, const EvidenceEffort& effort,
                                     Progress& progress);

/// The same where a request asks for such a bandwidth, within so many bytes of memory; none where
/// it does not, or samples have shapes of their own.
std::optional<Bandwidth> evidence_for_request(const SamplesView& samples, const Moments& moments,
                                              const DensityRequest& request, double most_bytes,
                                              Progress& progress);

/// h of the plug-in rule where it takes no longer than so many seconds; none where it does or finds
/// none, and where samples have shapes of their own. Throws Error(cancelled) where `shown` is.
std::optional<double> plug_in_within(double seconds, const SamplesView& samples,
                                     const Moments& moments, const DensityRequest& request,
                                     double most_bytes, const Progress& shown);

}  // namespace skde

#pragma once

#include <memory>
#include <optional>

#include "estimate/adaptive_widths.hpp"
#include "estimate/cloud.hpp"
#include "estimate/density.hpp"
#include "estimate/engine_places.hpp"
#include "estimate/evidence_bandwidth.hpp"
#include "estimate/session.hpp"

namespace skde {

/// Where a session takes its samples from, and what it keeps between densities.
struct CloudSource {
  SessionOptions options;
  CloudFiles files{};
  std::shared_ptr<const SampleCloud> cloud{};  ///< null where the samples are not in memory
  /// The same samples with widths that adapt to the density, and what these are; kept for the next
  /// density.
  std::shared_ptr<const SampleCloud> adapted{};
  AdaptiveSpec adapted_to{};
  /// The bandwidth by evidence and what it is for; kept for the next density.
  std::optional<EvidenceBandwidth> evidence{};
  EvidenceSpec evidence_for{};
  bool in_parts = false;  ///< the files may be read in parts
  EnginePlaces places{};

  /// Bytes of host memory that may be used in all.
  std::int64_t memory_limit() const;
  /// Gives the samples widths that follow from the density with the bandwidth of the set-up, whose
  /// reach is theirs then. Error(usage) where they have widths of their own, Error(resources) where
  /// they do not fit into memory.
  AdaptiveFacts adapt(const DensityRequest& request, DensitySetup& setup, StageTimes& stages,
                      Progress& progress);
  /// The bandwidth that the samples, which are in memory, speak for; none where the request wants
  /// no such one, or samples have shapes of their own. Looked for once, as long as samples, kernel
  /// and rule stay. Throws what evidence_bandwidth throws.
  std::optional<Bandwidth> bandwidth_by_evidence(const DensityRequest& request, StageTimes& stages,
                                                 Progress& progress);

 private:
  double pilot_bytes() const;
  void require_pilot_room() const;
};

/// Error(usage) where the samples have widths of their own, so that none adapt, and
/// Error(resources) where not all are in memory.
void require_adaptable(const CloudSource& source, const io::ColumnSelection& columns);

}  // namespace skde

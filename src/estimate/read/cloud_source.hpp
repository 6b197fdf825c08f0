#pragma once

#include <future>
#include <memory>
#include <optional>

#include "bandwidth/data_driven_bandwidth.hpp"
#include "estimate/density_facts.hpp"
#include "estimate/plan/density_setup.hpp"
#include "estimate/plan/engine_places.hpp"
#include "estimate/read/adaptive_bandwidths.hpp"
#include "estimate/read/cloud.hpp"
#include "estimate/read/sample_parts.hpp"
#include "estimate/session.hpp"
#include "io/bytes/input_stamps.hpp"

namespace skde {

struct StartedParts;

/// Where a session takes its samples from, and what it keeps between densities.
struct CloudSource {
  SessionOptions options;
  CloudFiles files{};
  std::shared_ptr<const SampleCloud> cloud{};  ///< null where the samples are not in memory
  /// The same samples with widths that adapt to the density, and what these are; kept for the next
  /// density.
  std::shared_ptr<const SampleCloud> adapted{};
  AdaptiveSpec adapted_to{};
  /// The data-driven bandwidth and what it is for; kept for the next density.
  std::optional<DataDrivenBandwidth> data_driven{};
  DataDrivenSpec data_driven_for{};
  bool in_parts = false;  ///< the files may be read in parts
  EnginePlaces places{};
  /// Files that planning has opened, for the run to read on; what the file system said of them
  /// before.
  std::optional<CloudBeginning> beginning{};
  io::InputStamps stamps{{}};
  std::unique_ptr<StartedParts> started;  ///< parts of them that are on their way
  std::future<void> starting{};           ///< a device that is likely to be chosen
  StageTimes stages{};                    ///< of planning, for the run to report

  CloudSource();
  explicit CloudSource(const SessionOptions& given);
  CloudSource(CloudSource&&) noexcept;
  CloudSource& operator=(CloudSource&&) noexcept;
  ~CloudSource();

  /// The samples are others now.
  void forget();
  /// Bytes of host memory that may be used in all.
  std::int64_t memory_limit() const;
  /// Gives the samples widths that follow from the density with the bandwidth of the set-up, whose
  /// reach is theirs then. Error(usage) where they have widths of their own, Error(resources) where
  /// they do not fit into memory.
  AdaptiveFacts adapt(const DensityRequest& request, DensitySetup& setup, Progress& progress);
  /// The bandwidth that the samples, which are in memory, speak for; none where the request wants
  /// no such one, or samples have shapes of their own. Looked for once, as long as samples, kernel
  /// and rule stay. Throws what data_driven_bandwidth throws.
  std::optional<Bandwidth> choose_from_data(const DensityRequest& request, Progress& progress);
  /// True where that bandwidth was found before.
  bool knows_bandwidth(const DensityRequest& request) const;
  /// Predict time and memory of choose_from_data() and of adapt().
  WorkForecast data_driven_forecast(const DensityRequest& request) const;
  WorkForecast pilot_forecast(const DensityRequest& request) const;

 private:
  DataDrivenEffort data_driven_effort(const DensityRequest& request) const;
  double pilot_bytes() const;
  void require_pilot_room() const;
};

/// Error(usage) where the samples have widths of their own, so that none adapt, and
/// Error(resources) where not all are in memory.
void require_adaptable(const CloudSource& source, const io::ColumnSelection& columns);

}  // namespace skde

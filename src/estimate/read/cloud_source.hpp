#pragma once

#include <future>
#include <memory>
#include <optional>

#include "bandwidth/data_driven_bandwidth.hpp"
#include "estimate/read/cloud.hpp"
#include "estimate/read/part_statistics.hpp"
#include "estimate/read/pilot_samples.hpp"
#include "estimate/read/sample_parts.hpp"
#include "estimate/read/session_engines.hpp"
#include "estimate/values/density_facts.hpp"
#include "estimate/values/density_setup.hpp"
#include "estimate/values/request.hpp"
#include "io/bytes/input_stamps.hpp"

namespace skde {

namespace io {
struct RowIndex;
}

/// Parts of files that are being read before the engine is chosen.
struct StartedParts {
  PartStatistics look;
  std::unique_ptr<FileParts> parts{};
};

/// Where a session takes its samples from, and what it keeps between densities.
struct CloudSource {
  SessionOptions options{};
  CloudFiles files{};
  std::shared_ptr<const SampleCloud> cloud{};  ///< null if the samples are not in memory
  /// The same samples with adaptive bandwidths of their own, or sharpened, and the pilot density
  /// that decided these. Kept for the next density.
  std::shared_ptr<const SampleCloud> adapted{};
  PilotSpec adapted_to{};
  /// The data-driven bandwidth, and what it was chosen for. Kept for the next density.
  std::optional<DataDrivenBandwidth> data_driven{};
  DataDrivenSpec data_driven_for{};
  FaceSamples faces{};    ///< of the samples in memory, for the next density
  bool in_parts = false;  ///< the files may be read in parts
  SessionEngines engines{};
  /// Files that planning has opened, where the run continues to read, and their stamps in the file
  /// system from before.
  std::optional<CloudBeginning> beginning{};
  io::InputStamps stamps{{}};
  std::shared_ptr<const io::RowIndex> index{};  ///< of the only file, if the last plan uses it
  std::unique_ptr<StartedParts> started{};  ///< parts of these files that are already being read
  std::future<void> starting{};             ///< start of a device that is likely to be chosen
  StageTimes stages{};                      ///< stages of planning, which the run reports

  /// Forgets all that depends on the samples.
  void forget();
  /// Forgets samples whose widths are those of another kernel: they are read again for this one.
  void settle_widths(KernelFunction kernel);
  /// Looks for an index of the only file, which is open at its beginning, and returns whether it
  /// may be used. `why_ignored` is set if there is one, but it does not fit the file. An automatic
  /// bandwidth needs one that keeps some samples.
  bool find_index(const BandwidthSpec& bandwidth, std::string& why_ignored);
  /// Returns the frame of the samples; empty if they have none, or are not open.
  std::string frame() const;
  /// Returns the bytes of host memory that may be used in total.
  std::int64_t memory_limit() const;
  /// Makes `adapted` from the pilot density with the bandwidth of `setup`, and updates its reach.
  /// Returns the adaptive bandwidths; none if samples are sharpened instead. Throws
  /// Error(resources) if the sums do not fit into memory.
  std::optional<AdaptiveFacts> adapt(const DensityRequest& request, DensitySetup& setup,
                                     Progress& progress);
  /// Returns the data-driven bandwidth of the samples, which must be in memory, or the automatic
  /// one, for which their moments suffice. Returns none if the request wants no such bandwidth or
  /// the samples have shapes of their own. It is computed once for the same samples, kernel and
  /// rule. Throws what data_driven_bandwidth throws.
  std::optional<Bandwidth> choose_from_data(const DensityRequest& request, const Moments& moments,
                                            Progress& progress);
  /// Returns whether that bandwidth is already known.
  bool knows_bandwidth(const DensityRequest& request) const;
  /// Predicts time and memory of choose_from_data(), and below of adapt().
  WorkForecast data_driven_forecast(const DensityRequest& request) const;
  WorkForecast pilot_forecast(const DensityRequest& request) const;

 private:
  DataDrivenEffort data_driven_effort(const DensityRequest& request) const;
  double pilot_bytes(const DensityRequest& request) const;
  void require_pilot_room(const DensityRequest& request) const;
};

/// Returns whether all samples are needed in memory, whatever the file.
bool needs_all_samples(const CloudSource& source, const DensityRequest& request);
/// Returns what is read of the samples.
const io::ColumnSelection& columns_of(const CloudSource& source);
/// Throws Error(usage) if weights may be below 0, and the request has no meaning then. Throws what
/// require_pilot() throws if the request wants a pilot density, Error(unsupported) if faces with
/// Boundary::linear meet kernels that differ or sharpened samples, and Error(resources) if not all
/// samples are in memory where they are needed.
void require_samples_for(const CloudSource& source, const DensityRequest& request);

}  // namespace skde

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bandwidth/bandwidth.hpp"
#include "core/density_metadata.hpp"
#include "core/grid.hpp"
#include "core/kernel/kernel_function.hpp"
#include "engines/engine.hpp"
#include "io/points/cloud_stream.hpp"

namespace skde {

/// Files that are one cloud together, and how they are read; or one volume file.
struct CloudFiles {
  std::vector<std::string> paths{};
  io::ColumnSelection columns{};
  io::NonFinite non_finite = io::NonFinite::drop;
  io::OpenFiles open{};  ///< those that somebody has looked into

  friend bool operator==(const CloudFiles&, const CloudFiles&) = default;
};

/// The word for the engine where the fastest one is meant; those for the fastest of the CPU and of
/// a GPU.
inline constexpr std::string_view kAutomaticEngine = "auto";
inline constexpr Words<Device, 2> kHardwareWords{{{"cpu", Device::cpu}, {"gpu", Device::cuda}}};

/// Everything that decides a density besides the samples.
struct DensityRequest {
  KernelFunction kernel{};
  BandwidthSpec bandwidth{};
  GridSpec grid{};
  std::optional<Grid> like{};  ///< this grid, instead of one from `grid`
  Boundaries boundaries{};     ///< of the box
  Normalization normalization = Normalization::density;
  Precision precision = Precision::f32;  ///< of the sums and of the volume
  /// What a value may be off by, as a share of the peak; 0: by rounding alone.
  double tolerance = 0;
  /// Leaves what rounding makes of zeros below 0, in engines that would make it 0.
  bool keep_negatives = false;
  /// Deviations in cells to which thinner kernels of samples' own widths and shapes are widened.
  double min_width = 1;
  /// Alpha of Abramson's law, by which samples have widths of their own: as narrow as they are
  /// dense.
  std::optional<double> adaptive{};
  std::string engine{};            ///< empty: the fastest one for the case
  std::optional<Device> device{};  ///< limits that choice
  EngineOptions options{};

  bool is_automatic() const { return engine.empty(); }
  EvidenceSpec evidence() const { return {bandwidth, kernel}; }
  /// Uses the threads of this request and at most so many bytes of host memory.
  EvidenceEffort evidence_effort(double most_bytes) const {
    return {.threads = options.threads, .most_bytes = most_bytes};
  }
  /// Takes the name of an engine, or a word for the fastest one, of a device or of all.
  void name_engine(std::string_view name) {
    engine = name == kAutomaticEngine ? "" : name;
    for (const auto& [word, hardware] : kHardwareWords)
      if (name == word) engine.clear(), device = hardware;
  }
  friend bool operator==(const DensityRequest&, const DensityRequest&) = default;
};

}  // namespace skde

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bandwidth/bandwidth.hpp"
#include "core/density_metadata.hpp"
#include "core/grid.hpp"
#include "core/kernel/kernel_function.hpp"
#include "engines/engine_options.hpp"
#include "io/bytes/open_files.hpp"
#include "io/points/reading_choices.hpp"

namespace skde {

/// Files that are one cloud together, and how they are read; or one volume file.
struct CloudFiles {
  std::vector<std::string> paths{};                ///< "-": standard input
  io::ColumnSelection columns{};                   ///< what of them is read
  io::NonFinite non_finite = io::NonFinite::drop;  ///< what becomes of rows that are not finite
  io::OpenFiles open{};                            ///< those that somebody has looked into

  /// True where all members are equal.
  friend bool operator==(const CloudFiles&, const CloudFiles&) = default;
};

/// The word for the engine where the fastest one is meant.
inline constexpr std::string_view kAutomaticEngine = "auto";
/// Those for the fastest one of the CPU and of a GPU.
inline constexpr Words<Device, 2> kHardwareWords{{{"cpu", Device::cpu}, {"gpu", Device::cuda}}};

/// Everything that decides a density besides the samples.
struct DensityRequest {
  KernelFunction kernel{};                               ///< the profile of every sample
  BandwidthSpec bandwidth{};                             ///< H, or how it follows from the samples
  GridSpec grid{};                                       ///< where values are wanted
  std::optional<Grid> like{};                            ///< this grid, instead of one from `grid`
  Boundaries boundaries{};                               ///< of the box
  Normalization normalization = Normalization::density;  ///< what the values integrate to
  Precision precision = Precision::f32;                  ///< of the sums and of the volume
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
  EngineOptions options{};         ///< the machine that it works on

  /// True where the fastest engine is taken.
  bool is_automatic() const { return engine.empty(); }
  /// What a data-driven bandwidth is for.
  DataDrivenSpec data_driven() const { return {bandwidth, kernel}; }
  /// Uses the threads of this request and at most so many bytes of host memory.
  DataDrivenEffort data_driven_effort(double most_bytes) const {
    return {.threads = options.threads, .most_bytes = most_bytes};
  }
  /// Takes the name of an engine, or a word for the fastest one, of a device or of all.
  void name_engine(std::string_view name) {
    engine = name == kAutomaticEngine ? "" : name;
    for (const auto& [word, hardware] : kHardwareWords)
      if (name == word) engine.clear(), device = hardware;
  }
  /// True where all members are equal.
  friend bool operator==(const DensityRequest&, const DensityRequest&) = default;
};

}  // namespace skde

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bandwidth/bandwidth.hpp"
#include "core/density_metadata.hpp"
#include "core/kernel/kernel_function.hpp"
#include "core/space/grid.hpp"
#include "engines/engine_options.hpp"
#include "io/bytes/open_files.hpp"
#include "io/points/columns/reading_choices.hpp"

namespace skde {

/// Files that form one cloud, and how they are read; or one volume file.
struct CloudFiles {
  std::vector<std::string> paths{};                ///< "-": standard input
  io::ColumnSelection columns{};                   ///< what is read from the files
  io::NonFinite non_finite = io::NonFinite::drop;  ///< how rows with non-finite values are treated
  io::OpenFiles open{};                            ///< files that were already opened for a look at
                                                   ///< them

  /// Returns whether all members are equal.
  friend bool operator==(const CloudFiles&, const CloudFiles&) = default;
};

/// The word for the fastest engine.
inline constexpr std::string_view kAutomaticEngine = "auto";
/// The words for the fastest engine of the CPU and of a GPU.
inline constexpr Words<Device, 2> kHardwareWords{{{"cpu", Device::cpu}, {"gpu", Device::cuda}}};

/// The grid of a volume, whose cells may be in a frame (see DensityMetadata).
struct GridOfVolume : Grid {
  /// A grid whose cells are in this frame.
  GridOfVolume(const Grid& grid = {}, std::string in = {}) : Grid(grid), frame(std::move(in)) {}
  std::string frame;  ///< empty if not known

  /// Returns whether all members are equal.
  friend bool operator==(const GridOfVolume&, const GridOfVolume&) = default;
};

/// Everything that determines a density besides the samples.
struct DensityRequest {
  KernelFunction kernel{};                               ///< the profile, the same for every sample
  BandwidthSpec bandwidth{};                             ///< H, or how it follows from the samples
  GridSpec grid{};                                       ///< where values are computed
  std::optional<GridOfVolume> like{};                    ///< this grid, instead of one from `grid`
  Boundaries boundaries{};                               ///< at the faces of the box
  CellValue cells = CellValue::centre;                   ///< what the value of a cell is
  Normalization normalization = Normalization::density;  ///< what the values integrate to
  Precision precision = Precision::f32;                  ///< of the sums and of the volume
  /// Permitted error of a value, as a share of the peak; 0: rounding only.
  double tolerance = 0;
  /// Keeps values below 0 that rounding makes of zeros; otherwise some engines set them to 0.
  bool keep_negatives = false;
  /// Anti-aliasing floor: kernels of samples with widths or shapes of their own are widened to this
  /// deviation in cells.
  double min_width = 1;
  /// Alpha of Abramson's law, which gives samples per-sample bandwidths: the denser, the narrower.
  std::optional<double> adaptive{};
  /// Moves samples by half of their mean shift before they are summed: see sharpened_cloud().
  bool sharpen = false;
  std::string engine{};            ///< empty: the fastest engine for the case
  std::optional<Device> device{};  ///< limits the choice of the engine
  EngineOptions options{};         ///< which parts of the machine it uses

  /// Returns whether the box does not depend on the samples.
  bool gives_box() const {
    return like || grid.bounds || (grid.spacing && grid.dims && (*grid.dims)[1] > 0);
  }
  /// Returns whether each sample counts in its own cell alone.
  bool is_histogram() const {
    const auto* const lengths = std::get_if<Vec3>(&bandwidth.bandwidth);
    return cells == CellValue::mean && lengths && *lengths == Vec3{};
  }
  /// Returns whether the fastest engine is used.
  bool is_automatic() const { return engine.empty(); }
  /// Returns whether a pilot density at all samples comes first.
  bool has_pilot() const { return adaptive || sharpen; }
  /// Returns whether all samples are needed in memory, whatever the file.
  bool needs_all_samples() const { return has_pilot() || is_linear(boundaries); }
  /// Returns what a data-driven bandwidth is chosen for.
  DataDrivenSpec data_driven() const {
    const std::optional<Box> box = like ? std::optional(like->bounds()) : grid.bounds;
    return {bandwidth, kernel, sharpen, boundaries, has_boundary(boundaries) ? box : std::nullopt};
  }
  /// Returns the effort: the GPU and the threads of this request, and at most this many bytes of
  /// host memory.
  DataDrivenEffort data_driven_effort(double most_bytes) const {
    return {.threads = options.threads, .most_bytes = most_bytes, .gpu = gpu()};
  }
  /// Returns the GPU that may compute what comes before the sums, if there is one; none if the
  /// engine is of the CPU.
  std::optional<int> gpu() const;
  /// Takes the name of an engine, or a word for the fastest engine of all or of a device.
  void name_engine(std::string_view name) {
    engine = name == kAutomaticEngine ? "" : name;
    for (const auto& [word, hardware] : kHardwareWords)
      if (name == word) engine.clear(), device = hardware;
  }
  /// Returns whether all members are equal.
  friend bool operator==(const DensityRequest&, const DensityRequest&) = default;
};

/// What to compute at points besides densities.
struct PointWishes {
  /// The points are the samples, in their order. The density at each is that of the other samples.
  bool leave_one_out = false;
  bool gradient = false;  ///< also the derivatives by x, y and z
  /// Values are natural logarithms; -inf where the density is 0. With the Gaussian they come from
  /// sums over all samples, within 1e-9 at any distance (log-sum-exp).
  bool log = false;
};

/// How a session works.
struct SessionOptions {
  std::int64_t memory_limit = 0;  ///< bytes of host memory; 0: what is available
  /// Densities are computed often, and stay where the engine works. The choice of an engine then
  /// ignores the start of a GPU and transfers to and from it.
  bool resident = false;
  /// Samples of files opened in parts stay in memory for more densities. False: only one density is
  /// computed, and large clouds need not be in memory at once.
  bool keeps_samples = true;
};

}  // namespace skde

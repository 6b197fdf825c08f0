#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/cloud/moments.hpp"
#include "core/cloud/samples.hpp"
#include "core/problem.hpp"
#include "core/report/progress.hpp"
#include "core/report/stage_times.hpp"
#include "core/space/tile_share.hpp"
#include "engines/engine_options.hpp"
#include "engines/offer.hpp"
#include "engines/stage_work.hpp"
#include "engines/value_buffer.hpp"

namespace skde {

/// What an engine promises. The contract tests check it. Errors are shares of the density's peak,
/// which may lie between cells: a kernel thinner than a cell adds to a cell a small part of its
/// height, and rounding q changes that part by a share of the height.
struct EngineTraits {
  std::string_view name;
  std::string_view summary;  ///< one line for lists of engines
  Device device = Device::cpu;
  bool deterministic = false;  ///< the same bits on every run; other engines add by atomics
  double error_f32 = 0;        ///< in float: largest error of a cell, as a share of the peak
  double error_f64 = 0;        ///< in double; 0 if the engine does not offer double
  /// The engine approximates compact kernels, and serves them only if a tolerance allows it.
  bool approximates = false;
  /// What each kernel over a cell may add to the error in float, if all of them together exceed
  /// error_f32: equal sums are all rounded in the same direction. In double it is 2^-29 of this.
  double drift_f32 = 0;
  bool serves_grids = true;    ///< false: points only
  bool takes_means = false;    ///< of densities over cells, besides values at their centres
  bool sums_integers = false;  ///< also as integers (IntegerSums), with the same bits in any order

  double error_in(Precision precision) const {
    return precision == Precision::f32 ? error_f32 : error_f64;
  }
  /// The same for this many samples, wherever they lie.
  double error_in(Precision precision, std::int64_t samples) const {
    const double drift = precision == Precision::f32 ? drift_f32 : 0x1p-29 * drift_f32;
    return std::max(error_in(precision), drift * static_cast<double>(samples));
  }
};

/// Returns the error of a value whose q is computed from differences of coordinates in this
/// precision, for kernels of this slant. Float loses digits in the differences. Double loses them
/// only in the entries of H, which determine its shortest axis to 2^-53 times the square of the
/// slant.
inline double slant_error(Precision precision, double slant) {
  return precision == Precision::f32 ? 5e-8 * slant : 1e-16 * slant * slant;
}

/// Returns the error that an engine of these traits states for a problem, including what lies
/// beyond the cut of an unbounded kernel.
inline double offered_error(const EngineTraits& traits, const Problem& problem,
                            const CloudFacts& cloud) {
  return std::max(traits.error_in(problem.precision, cloud.samples),
                  slant_error(problem.precision, problem.kernel.slant())) +
         problem.kernel.cut_error();
}

/// Samples that are resident where the engines of a device work.
class LoadedSamples {
 public:
  virtual ~LoadedSamples() = default;
  virtual std::size_t size() const = 0;
  /// Computes the moments where the samples are.
  virtual Moments moments() const = 0;
};

/// The stage of an engine's progress in which the values are summed. Other stages prepare it.
inline constexpr std::string_view kAccumulateStage = "accumulate";

/// One density while it is computed: call add() for each part of the cloud, then finish(). Both may
/// throw Error(resources), and Error(cancelled) soon after the progress is cancelled. The run is
/// over then.
class Run {
 public:
  virtual ~Run() = default;
  /// Adds samples that an engine of the same device loaded.
  virtual StageTimes add(const LoadedSamples& samples, Progress& progress) = 0;
  /// Completes the values.
  virtual StageTimes finish(Progress& /*progress*/) { return {}; }
  /// Returns the values. May be called once, after finish().
  virtual std::unique_ptr<ValueBuffer> take_values() = 0;
  /// Describes how the run was launched (threads, tile, block and batch sizes), for reports.
  virtual std::string launch_policy() const = 0;
};

/// What a run is ordered to do, besides its problem.
struct RunOrders {
  std::unique_ptr<ValueBuffer> reuse{};  ///< memory for the values, if it fits
  /// Slices of the grid to compute; all if not set. Their values have the bits of a run over the
  /// whole grid. Only for engines whose offers may be cut.
  std::optional<SliceRange> slices{};
  /// Tiles of the grid to compute, as the engine divides it; all other values are 0. The results of
  /// engines with all shares add up to the bits of a run over the whole grid. Only for engines
  /// whose offers say that they share tiles.
  std::optional<TileShare> share{};
};

/// A way to compute a density. offer() says what the engine would do, and starts nothing. load()
/// and begin() start the device. Only one run at a time; the next one reuses its memory.
class Engine {
 public:
  virtual ~Engine() = default;
  virtual const EngineTraits& traits() const = 0;
  /// Returns what the engine would do with the problem for such a cloud; a refusal if it does not
  /// serve it. Throws Error(input) if H is not positive definite.
  virtual Offer offer(const Problem& problem, const CloudFacts& cloud) const = 0;
  /// Returns the model of what a stage of a run on a grid does; nothing for an unknown stage.
  virtual std::optional<StageWork> stage_work(std::string_view stage, const Problem& problem,
                                              const RunWork& work) const = 0;
  /// Returns the free bytes of the device's memory. It is the largest number if samples and values
  /// are in host memory, which is watched elsewhere. Starts the device. Throws Error(resources) if
  /// the device does not exist.
  virtual std::int64_t free_memory() const = 0;

  /// Makes samples resident, in the memory of `reuse` unless that is null. A CPU engine keeps the
  /// view, so the samples must outlive its use. May be called from another thread during a run.
  /// Throws Error(resources).
  virtual std::unique_ptr<LoadedSamples> load(const SamplesView& points,
                                              std::unique_ptr<LoadedSamples> reuse = {}) = 0;
  /// Begins a run whose values start at 0. Throws Error(unsupported) with the offer's refusal, and
  /// Error(resources).
  virtual std::unique_ptr<Run> begin(const Problem& problem, RunOrders orders = {}) = 0;
};

}  // namespace skde

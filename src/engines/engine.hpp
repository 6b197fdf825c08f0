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
#include "engines/engine_options.hpp"
#include "engines/offer.hpp"
#include "engines/stage_work.hpp"
#include "engines/value_buffer.hpp"

namespace skde {

/// What an engine promises; the contract tests hold it to this.
struct EngineTraits {
  std::string_view name;
  std::string_view summary;  ///< one line for lists of engines
  Device device = Device::cpu;
  bool deterministic = false;  ///< the same bits on every run; engines that are not add by atomics
  double error_f32 = 0;  ///< largest error of a cell as a share of the peak, float accumulation
  double error_f64 = 0;  ///< the same for double; 0 where the engine does not offer double
  /// Kernels that end are served only where a tolerance allows it: the engine approximates them.
  bool approximates = false;
  /// By how much each kernel over one cell may add to the error in float, once that is more than
  /// error_f32: rounding of equal sums goes one way. 2^-29 of it in double.
  double drift_f32 = 0;
  bool serves_grids = true;    ///< others are for points alone
  bool sums_integers = false;  ///< also by integers (IntegerSums), the same bits in any order

  double error_in(Precision precision) const {
    return precision == Precision::f32 ? error_f32 : error_f64;
  }
  /// The same of so many samples, wherever they lie.
  double error_in(Precision precision, std::int64_t samples) const {
    const double drift = precision == Precision::f32 ? drift_f32 : 0x1p-29 * drift_f32;
    return std::max(error_in(precision), drift * static_cast<double>(samples));
  }
};

/// The error of a value whose q is computed with differences of coordinates in this precision, for
/// kernels of this slant: in float those lose digits; in double they do not before the entries of
/// H, which know its shortest axis to 2^-53 times the square of the slant.
inline double slant_error(Precision precision, double slant) {
  return precision == Precision::f32 ? 5e-8 * slant : 1e-16 * slant * slant;
}

/// What an engine of these traits states for a problem, with what lies beyond the cut of a kernel
/// without an end.
inline double offered_error(const EngineTraits& traits, const Problem& problem,
                            const CloudFacts& cloud) {
  return std::max(traits.error_in(problem.precision, cloud.samples),
                  slant_error(problem.precision, problem.kernel.slant())) +
         problem.kernel.cut_error();
}

/// Samples that are resident where engines of a device work.
class LoadedSamples {
 public:
  virtual ~LoadedSamples() = default;
  virtual std::size_t size() const = 0;
  /// Computed where the samples are.
  virtual Moments moments() const = 0;
};

/// The stage of an engine's progress in which the values are summed; others prepare it.
inline constexpr std::string_view kAccumulateStage = "accumulate";

/// One density while it is computed: add() as often as there are parts of the cloud, then finish().
/// Both may throw Error(resources), and Error(cancelled) soon after the progress says so; the run
/// is over then.
class Run {
 public:
  virtual ~Run() = default;
  /// Adds samples that an engine of the same device loaded.
  virtual StageTimes add(const LoadedSamples& samples, Progress& progress) = 0;
  /// Completes the values.
  virtual StageTimes finish(Progress& /*progress*/) { return {}; }
  /// The values, once, after finish().
  virtual std::unique_ptr<ValueBuffer> take_values() = 0;
  /// How the run was launched (threads, tile, block and batch sizes), for reports.
  virtual std::string launch_policy() const = 0;
};

/// A way to compute a density. It says what it would do by offer(), which starts nothing; load()
/// and begin() start the device. One run at a time; its memory serves the next one.
class Engine {
 public:
  virtual ~Engine() = default;
  virtual const EngineTraits& traits() const = 0;
  /// What the engine would do with the problem for such a cloud; a refusal where it does not serve
  /// it. Throws Error(input) where H is not positive definite.
  virtual Offer offer(const Problem& problem, const CloudFacts& cloud) const = 0;
  /// The model of what a stage of a run on a grid does; nothing for stages that it does not know.
  virtual std::optional<StageWork> stage_work(std::string_view stage, const Problem& problem,
                                              const RunWork& work) const = 0;
  /// Bytes that are free in the device's memory; the largest number where samples and values are in
  /// host memory, which others keep an eye on. Starts the device. Throws Error(resources) where it
  /// is not there.
  virtual std::int64_t free_memory() const = 0;

  /// Makes samples resident, in the memory of `reuse` where that is not null. A CPU engine keeps
  /// the view, so the samples must outlive its use. May be called from another thread during a
  /// run. Throws Error(resources).
  virtual std::unique_ptr<LoadedSamples> load(const SamplesView& points,
                                              std::unique_ptr<LoadedSamples> reuse = {}) = 0;
  /// Begins a run whose values start at 0, in the memory of `reuse` where that fits the problem.
  /// Throws Error(unsupported) with the offer's refusal, and Error(resources).
  virtual std::unique_ptr<Run> begin(const Problem& problem,
                                     std::unique_ptr<ValueBuffer> reuse = {}) = 0;
};

}  // namespace skde

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/grid.hpp"
#include "core/kernel_shape.hpp"
#include "core/moments.hpp"
#include "core/points.hpp"
#include "core/progress.hpp"
#include "core/stage_times.hpp"
#include "core/volume.hpp"

namespace skde {

enum class Device { cpu, cuda };

/// What an engine promises; the contract tests hold it to this.
struct EngineTraits {
  std::string_view name;
  std::string_view summary;  ///< one line for `skde engines`
  Device device = Device::cpu;
  /// The same bits on every run. Engines that are not add by atomics, and their errors grow with
  /// the number of kernels over a cell; what they state holds up to about a thousand.
  bool deterministic = false;
  double error_f32 = 0;  ///< largest error of a cell as a share of the peak, float accumulation
  double error_f64 = 0;  ///< the same for double; 0 where the engine does not offer double
};

struct EngineOptions {
  Precision precision = Precision::f32;
  int threads = 0;  ///< CPU threads; 0: one a core
  int device = 0;   ///< index of the CUDA device
  /// Bytes of its memory that a CUDA engine may use; 0: what is free.
  std::int64_t device_memory = 0;
  /// Bytes that a CUDA engine's work lists may take; 0: as the free device memory allows. Longer
  /// lists are processed in batches.
  std::int64_t work_memory = 0;
};

/// One density to compute: f(g) = sum_i (w_i / total_weight) kernel.amplitude() (1 - q_i(g))^p.
/// total_weight is W of the whole cloud, of which the loaded samples may be a part.
struct DensityProblem {
  EllipsoidKernel kernel;
  Grid grid;
  double total_weight = 1;
};

/// A density where its engine keeps it; nothing is copied until someone asks for it.
class DensityBuffer {
 public:
  virtual ~DensityBuffer() = default;
  virtual const Grid& grid() const = 0;
  virtual Precision precision() const = 0;
  virtual void clear() = 0;
  /// The values on the host; a buffer that lives there hands its memory over and is empty after.
  virtual Volume take_volume() = 0;
};

/// The stage of an engine's progress in which the volume is summed; others prepare it.
inline constexpr std::string_view kAccumulateStage = "accumulate";

/// A way to compute the density. Use: load() once a cloud, prepare() once a bandwidth or grid,
/// run() as often as wanted; a run adds the loaded samples to the buffer, so a cloud larger than
/// memory is run chunk by chunk into one buffer.
///
/// Every call may throw Error(resources) where memory or the device does not suffice; run() throws
/// Error(cancelled) soon after the progress says so.
class Engine {
 public:
  virtual ~Engine() = default;
  virtual const EngineTraits& traits() const = 0;

  /// Makes the samples resident where the engine works. A CPU engine keeps the view, so the
  /// samples must outlive its use.
  virtual StageTimes load(const PointsView& points) = 0;
  /// Begins to make samples resident that a load() of the same view will ask for next. May be
  /// called from another thread during run().
  virtual void prefetch(const PointsView& /*points*/) {}
  /// Bytes of the largest volume that the engine can sum `samples` samples at a time into.
  virtual std::int64_t volume_capacity(std::int64_t samples) const = 0;
  /// Moments of the loaded samples, computed where they are.
  virtual Moments moments() = 0;
  /// Sets up the kernel and checks that the grid fits.
  virtual StageTimes prepare(const DensityProblem& problem) = 0;
  /// A cleared buffer for the prepared problem's grid, in the options' precision.
  virtual std::unique_ptr<DensityBuffer> make_buffer() = 0;
  /// Adds the density of the loaded samples; `buffer` must come from this engine's make_buffer().
  virtual StageTimes run(DensityBuffer& buffer, Progress& progress) = 0;
  /// How the last run was launched (tile, block and batch sizes), for reports.
  virtual std::string launch_policy() const = 0;
};

}  // namespace skde

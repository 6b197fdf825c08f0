#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/report/progress.hpp"
#include "estimate/values/density.hpp"
#include "estimate/values/request.hpp"

namespace skde {

// Each type has a header of its own, for code that makes or uses one.
class SliceSink;       // estimate/values/slice_sink.hpp
class StreamListener;  // estimate/stream/followed_stream.hpp
class TargetPoints;    // core/problem.hpp
struct DensityPlan;    // estimate/values/density_plan.hpp
struct MergedDensity;  // estimate/sum/merged_density.hpp
struct PlanOrders;     // estimate/values/memory_plan.hpp
struct PointDensity;   // estimate/values/density_facts.hpp
struct PointMeans;     // estimate/values/density_facts.hpp
struct SampleCloud;    // estimate/read/cloud.hpp
struct Samples;        // core/cloud/samples.hpp
struct SamplesView;    // core/cloud/samples.hpp
struct WindowSpec;     // estimate/stream/followed_stream.hpp

/// Turns samples into densities: opened once, computed as often as wanted. Used by one thread at a
/// time; its results may go to other threads.
class Session {
 public:
  /// Creates a session with nothing open.
  explicit Session(const SessionOptions& options = {});
  ~Session();
  /// Moves the session with all that is open and kept.
  Session(Session&&) noexcept;
  /// Moves the session with all that is open and kept.
  Session& operator=(Session&&) noexcept;

  /// Reads clouds into memory, or opens a volume file, which must be the only file. If this throws,
  /// what was open before stays open. Throws Error(input) if a file does not exist, is broken, has
  /// an unknown format or values that no sample can have; Error(usage) if no file is named, a named
  /// column does not exist, or a volume is not the only file; Error(resources) if the samples do
  /// not fit into memory; Error(cancelled).
  void open(const CloudFiles& files, Progress& progress);
  /// Opens samples that are already in memory. Throws Error(usage) if array sizes do not match, and
  /// Error(input) if a coordinate is not finite or a weight or width is invalid.
  void open(Samples points);
  /// Opens samples given as 3 N numbers, x, y and z of one sample after another in world units, and
  /// N weights, or no weights if each is 1. Throws the same.
  void open(std::vector<double> xyz, std::vector<double> weights = {});
  /// Opens samples that belong to others. `owner` keeps them alive; without it they must outlive
  /// the session. Throws the same.
  void open(const SamplesView& points, std::shared_ptr<const void> owner = {});
  /// Opens a cloud whose facts are already known.
  void open(std::shared_ptr<const SampleCloud> cloud);
  /// Opens clouds that are read when a density is requested. They stay in memory if they fit;
  /// otherwise they are read in parts for every density. Throws Error(usage) if no file is named or
  /// a volume is not the only file. All other errors appear when the files are read.
  void open_in_parts(const CloudFiles& files);
  /// Returns whether these files are open, with the same options.
  bool is_open(const CloudFiles& files) const;
  /// Returns the cloud; null if the samples are not in memory.
  const std::shared_ptr<const SampleCloud>& cloud() const;

  /// Predicts what a density takes: reads headers and what moments need. Unless `orders.runs`,
  /// nothing is summed, and the plan is provisional if the bandwidth depends on sums. Whatever
  /// prevents a run becomes the plan's obstacle. Throws what open() throws if files are read;
  /// Error(usage) if no samples are open or the request contradicts itself; Error(input) if the
  /// samples determine no bandwidth or grid; Error(resources) if not even one slice of the grid
  /// fits into memory; Error(cancelled).
  DensityPlan plan(const DensityRequest& request, Progress& progress, const PlanOrders& orders);
  /// Plans a density that does not run at once and whose volume is wanted as a whole.
  DensityPlan plan(const DensityRequest& request, Progress& progress);
  /// Plans evaluate(): densities at points.
  DensityPlan plan(const DensityRequest& request, const TargetPoints& points,
                   const PointWishes& wishes, Progress& progress);
  /// Plans means() with this many channels.
  DensityPlan plan_means(const DensityRequest& request, const TargetPoints& points,
                         std::size_t channels, Progress& progress);
  /// Runs a plan that this session made for a whole volume. The values stay where the engine works.
  /// Throws the plan's obstacle; what open() throws if files are read; Error(usage) if the plan is
  /// provisional; Error(input) if no kernel covers a cell or values exceed the range of their type;
  /// Error(resources) if memory or a device is not available; Error(cancelled).
  Density compute(const DensityPlan& plan, Progress& progress);
  /// Runs a plan that was made for this sink, slab by slab: the volume may be larger than memory.
  /// Samples that do not fit are read again for every slab. Throws the same.
  DensityFacts stream(const DensityPlan& plan, SliceSink& sink, Progress& progress);
  /// Plans and runs a density. Reads a volume file. Throws what plan() and the above throw.
  Density compute(const DensityRequest& request, Progress& progress);
  /// Plans and runs without showing progress; cannot be cancelled.
  Density compute(const DensityRequest& request = {});
  /// Plans and runs a density for this sink. Throws the same.
  DensityFacts stream(const DensityRequest& request, SliceSink& sink, Progress& progress);
  /// Returns the density at points. With boundaries it is 0 beyond faces where the box ends. All
  /// samples are held in memory. Everything but plain densities is summed by the library's
  /// reduction, whatever the engine; leave-one-out values are double. Throws what compute throws,
  /// and Error(usage) if a point is not finite, a wish does not match these samples, or
  /// `normalization` needs a grid.
  PointDensity evaluate(const DensityRequest& request, const TargetPoints& points,
                        const PointWishes& wishes, Progress& progress);
  /// Returns sum_j w_j k_j b_j / sum_j w_j k_j over the samples' kernels at points, in double. `b`
  /// has 1 to 7 channels, stored side by side for each sample. Kernels and boundaries are those of
  /// the request. Values are NaN where no sample reaches; Gaussians reach any distance. Throws what
  /// evaluate throws, and Error(usage) if `b` does not match the samples.
  PointMeans means(const DensityRequest& request, const TargetPoints& points,
                   std::span<const double> b, std::size_t channels, Progress& progress);
  /// Follows the files that are open in parts, like an endless pipe. After every so many samples,
  /// passes the density of the last ones to `use`. Its bits are those of partial sums over these
  /// samples. Throws what plan() and compute() throw, Error(input) if there was no sample, and
  /// Error(usage) if the samples are in memory.
  void follow(const DensityRequest& request, const WindowSpec& spec,
              const std::function<void(Density)>& use, Progress& progress);
  /// Follows the files while the listener may change the request. density_of() turns what the
  /// listener receives into a Density.
  void follow(const DensityRequest& request, const WindowSpec& spec, StreamListener& listener,
              Progress& progress);
  /// Returns the density of the window that a listener received.
  static Density density_of(MergedDensity merged);

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace skde

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/report/progress.hpp"
#include "estimate/density.hpp"
#include "estimate/request.hpp"

namespace skde {

// Each is in a header of its own, for those who make or use one.
class SliceSink;       // estimate/stream/slice_sink.hpp
class StreamListener;  // estimate/stream/followed_stream.hpp
class TargetPoints;    // core/problem.hpp
struct DensityPlan;    // estimate/plan/density_plan.hpp
struct MergedDensity;  // estimate/sum/merged_density.hpp
struct PlanOrders;     // estimate/plan/plan_orders.hpp
struct PointDensity;   // estimate/point_values.hpp
struct PointMeans;     // estimate/point_values.hpp
struct SampleCloud;    // estimate/read/cloud.hpp
struct Samples;        // core/cloud/samples.hpp
struct SamplesView;    // core/cloud/samples.hpp
struct WindowSpec;     // estimate/stream/followed_stream.hpp

/// What is wanted at points besides densities.
struct PointWishes {
  /// The points are the samples, in their order: the density at each is that of the others.
  bool leave_one_out = false;
  bool gradient = false;  ///< the derivatives by x, y and z, too
  /// Values are natural logarithms: -inf where the density is 0. Of the Gaussian they are of sums
  /// over all samples, within 1e-9 however far these are (log-sum-exp).
  bool log = false;
};

/// How a session works.
struct SessionOptions {
  std::int64_t memory_limit = 0;  ///< bytes of host memory; 0: what is available
  /// Densities are computed often and stay where the engine works: a GPU's start and the ways there
  /// and back do not count where an engine is chosen.
  bool resident = false;
  /// Samples of files that are open in parts stay in memory for more densities. False: there is one
  /// density, and large clouds need not be in memory at once.
  bool keeps_samples = true;
};

/// The way from samples to densities: opened once, computed as often as wanted. Used by one thread
/// at a time; what it returns may go to another.
class Session {
 public:
  /// Nothing is open yet.
  explicit Session(const SessionOptions& options = {});
  ~Session();
  /// Moves, with all that is open and kept.
  Session(Session&&) noexcept;
  /// The same.
  Session& operator=(Session&&) noexcept;

  /// Reads clouds into memory, or takes note of a volume file that stands alone. Where this throws,
  /// what was open before stays open: Error(input) where a file is not there, broken, of no known
  /// format, or has values that no sample has; Error(usage) where no file is named, a column that
  /// is named is not there, or a volume has company; Error(resources) where the samples do not fit
  /// into memory; Error(cancelled).
  void open(const CloudFiles& files, Progress& progress);
  /// Samples that are in memory already. Error(usage) where arrays do not match each other,
  /// Error(input) where a coordinate is not finite, or a weight or width not what it must be.
  void open(Samples points);
  /// The same: 3 N numbers, x, y and z of one sample after another in world units, and N weights,
  /// or none where every one is 1. Throws the same.
  void open(std::vector<double> xyz, std::vector<double> weights = {});
  /// Samples of someone else. `owner` keeps them; without one they must outlive the session.
  /// Throws the same.
  void open(const SamplesView& points, std::shared_ptr<const void> owner = {});
  /// The same with what is known of them.
  void open(std::shared_ptr<const SampleCloud> cloud);
  /// Clouds that are read when a density is asked for, and kept in memory where they fit; or else
  /// they are read in parts for every density. Error(usage) where no file is named, or a volume has
  /// company; all else is found where they are read.
  void open_in_parts(const CloudFiles& files);
  /// True where these files, read like this, are open.
  bool is_open(const CloudFiles& files) const;
  /// Null where the samples are not in memory.
  const std::shared_ptr<const SampleCloud>& cloud() const;

  /// What a density would take: reads headers and what moments need. Unless `orders.runs`, nothing
  /// is summed, and where the bandwidth follows from sums the plan is provisional. What stands in
  /// the way of a run is the plan's obstacle. Throws what open() throws where files are read;
  /// Error(usage) where no samples are open or the request contradicts itself; Error(input) where
  /// no bandwidth or grid follows from the samples; Error(resources) where not even a slice of the
  /// grid fits into memory; Error(cancelled).
  DensityPlan plan(const DensityRequest& request, Progress& progress, const PlanOrders& orders);
  /// The same of one that is not to run at once, and whose volume is wanted as a whole.
  DensityPlan plan(const DensityRequest& request, Progress& progress);
  /// The same of evaluate(), of densities at points.
  DensityPlan plan(const DensityRequest& request, const TargetPoints& points,
                   const PointWishes& wishes, Progress& progress);
  /// The same of means(), with so many channels.
  DensityPlan plan_means(const DensityRequest& request, const TargetPoints& points,
                         std::size_t channels, Progress& progress);
  /// Runs a plan that this session made for a whole volume; the values stay where the engine works.
  /// Throws the plan's obstacle, what open() throws where files are read, Error(usage) where the
  /// plan is provisional, Error(input) where no kernel covers a cell or values are beyond their
  /// type, Error(resources) where memory or a device is not there, and Error(cancelled).
  Density compute(const DensityPlan& plan, Progress& progress);
  /// Runs one that was made for this sink, slab by slab, so that the volume may be larger than
  /// memory; samples that do not fit are read anew for every slab. Throws the same.
  DensityFacts stream(const DensityPlan& plan, SliceSink& sink, Progress& progress);
  /// Plans and runs. A volume file is read. Throws what plan() throws, and as above.
  Density compute(const DensityRequest& request, Progress& progress);
  /// The same, which shows nothing and cannot be cancelled.
  Density compute(const DensityRequest& request = {});
  /// Plans and runs for this sink. Throws the same.
  DensityFacts stream(const DensityRequest& request, SliceSink& sink, Progress& progress);
  /// The density at points; with boundaries it is 0 beyond faces where the box ends. All samples
  /// are held in memory. Beside wishes values are summed by the library's reduction, whatever the
  /// engine; those that leave one out are in double. Throws what compute throws, Error(usage) where
  /// a point is not finite, where a wish is not of these samples, or `normalization` needs a grid.
  PointDensity evaluate(const DensityRequest& request, const TargetPoints& points,
                        const PointWishes& wishes, Progress& progress);
  /// sum_j w_j k_j b_j / sum_j w_j k_j over the samples' kernels at points, in double, with the
  /// channels of `b` (1 to 7 a sample) one beside the other; kernels and boundaries are those of
  /// the request. NaN where no sample reaches; Gaussians reach everywhere, however far. Throws what
  /// evaluate throws, and Error(usage) where `b` does not match the samples.
  PointMeans means(const DensityRequest& request, const TargetPoints& points,
                   std::span<const double> b, std::size_t channels, Progress& progress);
  /// Follows the files that are open in parts, as a pipe without an end: gives the density of the
  /// last samples to `use` each time that so many more have come. It has the bits of partial sums
  /// over these samples. Throws what plan() and compute() throw, Error(input) where there was no
  /// sample, and Error(usage) where the samples are in memory.
  void follow(const DensityRequest& request, const WindowSpec& spec,
              const std::function<void(Density)>& use, Progress& progress);
  /// The same for who changes the request meanwhile; density_of() makes a Density of what it gets.
  void follow(const DensityRequest& request, const WindowSpec& spec, StreamListener& listener,
              Progress& progress);
  /// The density of the window that a listener was given.
  static Density density_of(MergedDensity merged);

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace skde

#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "estimate/density.hpp"
#include "estimate/read/cloud.hpp"
#include "estimate/request.hpp"
#include "estimate/session_options.hpp"
#include "estimate/stream/followed_stream.hpp"
#include "estimate/stream/slice_sink.hpp"

namespace skde {

/// What is wanted at points besides densities.
struct PointWishes {
  /// The points are the samples, in their order: the density at each is that of the others.
  bool leave_one_out = false;
  bool gradient = false;
  /// Values are natural logarithms: -inf where the density is 0. Of the Gaussian they are of sums
  /// over all samples, within 1e-9 however far these are (log-sum-exp).
  bool log = false;
};

/// Densities at points, normalised as asked for.
struct PointDensity {
  DensityFacts facts;  ///< its grid is the box of the boundaries alone
  std::vector<double> values;
  std::vector<double> gradients;  ///< 3 a point; empty where nobody wished for them
};

/// Means over samples at points.
struct PointMeans {
  DensityFacts facts;
  std::vector<double> values;  ///< as many a point as there are channels
};

/// The way from samples to densities: opened once, computed as often as wanted. Used by one thread
/// at a time; what it returns may go to another.
class Session {
 public:
  explicit Session(const SessionOptions& options = {});
  ~Session();
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;

  /// Reads clouds into memory, or takes note of a volume file that stands alone. What was open
  /// before stays open where this throws: what io::CloudStream throws, Error(usage) where a volume
  /// has company, and Error(resources) where the samples do not fit into memory.
  void open(const CloudFiles& files, Progress& progress);
  /// Samples that are in memory already. Error(usage) where arrays do not match each other,
  /// Error(input) where a coordinate is not finite, or a weight or width not what it must be.
  void open(Samples points);
  /// The same, x, y and z of one sample after another; without weights every one is 1.
  void open(std::vector<double> xyz, std::vector<double> weights = {});
  /// Samples of someone else. `owner` keeps them; without one they must outlive the session.
  /// Throws the same.
  void open(const SamplesView& points, std::shared_ptr<const void> owner = {});
  /// The same with what is known of them.
  void open(std::shared_ptr<const SampleCloud> cloud);
  /// Clouds that are read when a density is asked for, and kept in memory where they fit; or else
  /// they are read in parts for every density. A volume's company is an error as above.
  void open_in_parts(const CloudFiles& files);
  bool is_open(const CloudFiles& files) const;
  /// Null where the samples are not in memory.
  const std::shared_ptr<const SampleCloud>& cloud() const;

  /// What a density would take: reads headers and what moments need. Unless `orders.runs`, nothing
  /// is summed, and where the bandwidth follows from sums the plan is provisional. What stands in
  /// the way of a run is the plan's obstacle. Throws what set_up_density and reading throw,
  /// Error(resources) where not even a slice of the grid fits into memory, and Error(usage) where
  /// no samples are open.
  DensityPlan plan(const DensityRequest& request, Progress& progress,
                   const PlanOrders& orders = {});
  /// The same of evaluate() and means().
  DensityPlan plan(const DensityRequest& request, const TargetPoints& points,
                   const PointWishes& wishes, Progress& progress);
  DensityPlan plan_means(const DensityRequest& request, const TargetPoints& points,
                         std::size_t channels, Progress& progress);
  /// Runs a plan that this session made for a whole volume; the values stay where the engine works.
  /// Throws the plan's obstacle, what the engine and reading throw, and Error(usage) where the plan
  /// is provisional.
  Density compute(const DensityPlan& plan, Progress& progress);
  /// Runs one that was made for this sink, slab by slab, so that the volume may be larger than
  /// memory; samples that do not fit are read anew for every slab. Throws the same.
  DensityFacts stream(const DensityPlan& plan, SliceSink& sink, Progress& progress);
  /// Plans and runs. A volume file is read.
  Density compute(const DensityRequest& request, Progress& progress);
  Density compute(const DensityRequest& request = {});
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
  /// over these samples. Throws what follow_stream throws, and Error(usage) where the samples are
  /// in memory.
  void follow(const DensityRequest& request, const WindowSpec& spec,
              const std::function<void(Density)>& use, Progress& progress);
  /// The same for who changes the request meanwhile; density_of() makes a Density of what it gets.
  void follow(const DensityRequest& request, const WindowSpec& spec, StreamListener& listener,
              Progress& progress);
  static Density density_of(MergedDensity merged);

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace skde

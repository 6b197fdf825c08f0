#include "estimate/sum/grid_sums.hpp"

#include <algorithm>
#include <utility>

#include "core/kernel/sample_shapes.hpp"
#include "engines/registry/offer_choice.hpp"
#include "estimate/plan/plan_density.hpp"
#include "estimate/sum/point_density.hpp"
#include "estimate/sum/run_density.hpp"

namespace skde {
namespace {

/// Tolerance for the cut of a Gaussian.
constexpr double kCutError = 2e-13;
/// Least error that engines promise: rounding of sums of any length.
constexpr double kLeastError = 1e-12;

/// Returns a bound on the sum, over all samples and their images, of their kernels beyond the cut.
double sum_beyond_cut(const SamplesView& points, const DensityFacts& facts) {
  if (facts.kernel.function->is_bounded()) return 0;
  const SampleShapes shapes(facts.kernel, facts.grid, 0);
  const double cut = facts.kernel.cut();
  double heights = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    double copies = 1;  // images within a deviation of the cut
    const Vec3 reach = (1 + 1 / cut) * shapes.reach_of(points, i);
    for (int a = 0; a < 3; ++a)
      if (facts.boundaries[static_cast<std::size_t>(a)] != Boundary::none)
        copies *=
            2 + 2 * reach[a] / static_cast<double>(facts.grid.dims[static_cast<std::size_t>(a)]);
    heights += copies * points.weight(i) * shapes.of(points, i).amplitude;
  }
  return heights * facts.kernel.function->profile(cut * cut);
}

}  // namespace

DensityRequest request_on_grid(const DensityFacts& facts) {
  DensityRequest request = facts.request;
  request.bandwidth = {};
  request.bandwidth.bandwidth = facts.bandwidth.H;
  request.adaptive.reset();
  request.like = facts.grid;
  request.grid = {};
  return request;
}

Volume reweighted_sums(CloudSource& source, const std::shared_ptr<const SampleCloud>& cloud,
                       const DensityRequest& request, std::span<const double> factors,
                       Progress& progress) {
  SamplesView points = cloud->points;
  const auto weights = std::make_shared<std::vector<double>>(factors.begin(), factors.end());
  for (std::size_t i = 0; i < weights->size(); ++i) (*weights)[i] *= points.weight(i);
  points.weights = *weights;
  using Owners = std::pair<std::shared_ptr<const SampleCloud>, decltype(weights)>;
  source.engines.forget_samples();
  source.cloud = make_cloud(points, std::make_shared<const Owners>(cloud, weights));
  const DensityPlan plan = plan_density(source, request, {.runs = true}, progress);
  return run_density(source, plan, progress).take_volume();
}

GridSums::GridSums(std::shared_ptr<const SampleCloud> cloud, const DensityRequest& request,
                   std::int64_t memory_limit, bool runs, Progress& progress)
    : asked_tolerance_(request.tolerance) {
  refuse_sharpening(request, "means of values");
  refuse_linear_faces(request, "means of values");
  factored_.options.memory_limit = whole_.options.memory_limit = memory_limit;
  whole_.cloud = std::move(cloud);
  DensityRequest asked = request;
  asked.precision = Precision::f64;
  asked.normalization = Normalization::count;
  asked.min_width = 0;
  if (!asked.kernel->is_bounded() && (asked.tolerance == 0 || asked.tolerance > kCutError))
    asked.tolerance = kCutError;
  asked.device = Device::cpu;
  asked.engine.clear();
  plan_ = plan_density(whole_, asked, {.runs = runs, .exact = true}, progress);
  plan_.request.engine = plan_.engine;
  facts_ = DensityFacts(plan_);
}

void GridSums::sum_own(Progress& progress) {
  Density density = run_density(whole_, plan(), progress);
  facts_ = density.facts();
  if (facts_.request.tolerance != asked_tolerance_)  // the user did not ask for this tolerance
    std::erase_if(facts_.warnings, [](const Warning& w) { return w.kind == "tolerance"; });
  own_ = density.take_volume();
  error_ = std::max(kLeastError, facts_.error_bound);
  fixed_ = request_on_grid(facts_);
  if (whole_.adapted) whole_.cloud = whole_.adapted;
  cut_away_ = sum_beyond_cut(whole_.cloud->points, facts_);
}

Volume GridSums::sums(std::span<const double> factors, Progress& progress) {
  return reweighted_sums(factored_, whole_.cloud, fixed_, factors, progress);
}

std::vector<double> GridSums::means_at(std::vector<double> points, std::span<const double> b,
                                       std::size_t channels, Progress& progress) {
  DensityRequest box = fixed_;
  box.engine.clear();
  box.like.reset();
  box.grid.bounds = grid().bounds();
  return means_at_points(whole_, box, TargetPoints(std::move(points)), b, channels, progress)
      .values;
}

}  // namespace skde

#include "estimate/sum/point_density.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "core/report/error.hpp"
#include "engines/cpu/cpu_engines.hpp"
#include "engines/cpu/ranges/range_reduction.hpp"
#include "engines/registry/offer_choice.hpp"
#include "engines/served.hpp"
#include "estimate/plan/density_warnings.hpp"
#include "estimate/plan/plan_density.hpp"
#include "estimate/sum/left_out_density.hpp"
#include "estimate/sum/log_density.hpp"
#include "estimate/sum/point_samples.hpp"
#include "system/stop_watch.hpp"

namespace skde {
namespace {

/// Error of the logarithm of a density of Gaussians.
constexpr double kLogError = 2e-11;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

void require_points(std::span<const double> points) {
  if (points.empty())
    throw Error(ErrorKind::input, "there must be at least one point to evaluate at",
                {"points", {}});
  for (std::size_t i = 0; i < points.size(); ++i)
    if (!std::isfinite(points[i]))
      throw Error(
          ErrorKind::input,
          fmt::format("the {1} of point {0} (from 0) must be finite", i / 3, kAxisNames[i % 3]),
          {"points", {}});
}

/// Returns the request with the box as one cell, because points have no cells.
DensityRequest of_box(const DensityRequest& request) {
  DensityRequest box = request;
  box.grid.dims = {1, 1, 1};
  box.grid.spacing.reset();
  box.min_width = 0;
  return box;
}

/// Moves points along periodic axes into the box; marks those past faces where the box ends.
void place_points(PointSetup& setup, const Boundaries& boundaries, std::span<const double> points) {
  setup.places.assign(points.begin(), points.end());
  setup.beyond.assign(points.size() / 3, false);
  const Box box = setup.facts.grid.bounds();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto axis = static_cast<int>(i % 3);
    const Boundary boundary = boundaries[i % 3];
    const double lower = box.lower[axis], upper = box.upper[axis];
    if (is_between(points[i], lower, upper)) continue;
    if (ends_at_faces(boundary)) setup.beyond[i / 3] = true;
    if (boundary == Boundary::periodic)
      setup.places[i] -= (upper - lower) * std::floor((points[i] - lower) / (upper - lower));
  }
}

/// Returns the share of a cloud's samples within reach of one of them, as if the cloud were normal
/// with its covariance. The difference of two samples has twice that covariance.
double share_in_reach(const PointSetup& setup) {
  const Symmetric3 S = setup.facts.moments.covariance();
  const Vec3 half = setup.box.kernel.half_extents();
  const double spread = S.xx * S.yy * S.zz;
  if (!(spread > 0)) return 1;
  // Share of a three-dimensional normal variable within this radius of its centre.
  const double radius = std::cbrt(half.x * half.y * half.z / std::sqrt(8 * spread));
  const double square = radius * radius / 2;
  return std::erf(std::sqrt(square)) - 2 * std::sqrt(square / std::numbers::pi) * std::exp(-square);
}

/// Predicts what the sums take. Offers for points assume that each sample reaches each point.
WorkForecast forecast_of(const PointSetup& setup, const EngineOffer& chosen, double host_bytes,
                         std::size_t values) {
  const OfferTimes& seconds = chosen.offer.seconds;
  const double kernels = setup.images ? static_cast<double>(setup.images->passes()) : 1;
  return {.seconds = seconds.total() - seconds.run + kernels * seconds.run * share_in_reach(setup),
          .host_bytes = host_bytes,
          .result_bytes = static_cast<double>(sizeof(double) * values),
          .on_device = chosen.entry->traits.device != Device::cpu};
}

/// Chooses the engine for points: the one that is named, or the fastest; and, if the source has an
/// index, the rows that it needs.
void choose_engine(CloudSource& source, const DensityRequest& request, std::size_t values,
                   PointSetup& setup) {
  DensityFacts& plan = setup.facts;
  const EngineOffer* chosen = nullptr;
  if (request.is_automatic()) {
    chosen = ranked_offers(plan.offers, request.tolerance, {request.device, false}).front();
  } else {
    require_served(source.places.engine(request.engine, request.options), plan.problem, plan.cloud);
    chosen = &offer_of(plan.offers, request.engine);
  }
  plan.engine = chosen->entry->traits.name;
  plan.device = chosen->entry->traits.device;
  plan.error_bound = chosen->offer.error + 0.5 * shift_error(request);
  plan.blocks = rows_near(source, setup.places, chosen->offer);
  CloudFacts summed = plan.cloud;
  if (plan.blocks) summed.samples = static_cast<std::int64_t>(plan.blocks->read_samples());
  const double host_bytes = require_room(source, chosen->offer, plan.problem, summed);
  plan.forecast = in_turn(plan.forecast, forecast_of(setup, *chosen, host_bytes, values));
}

/// Returns densities by the engine, divided by W.
std::vector<double> engine_values(PointSetup& setup, Engine& engine, Progress& progress) {
  DensityFacts& facts = setup.facts;
  std::vector<double> values(setup.places.size() / 3, 0.0);
  const StopWatch watch;
  for_each_kernel(setup, [&](const Kernel& kernel, const SamplesView& samples, const auto&) {
    Problem pass = facts.problem;
    pass.kernel = kernel;
    const std::unique_ptr<Run> run = engine.begin(pass);
    facts.launch_policy = run->launch_policy();
    add_stages(facts.stages, run->add(*engine.load(samples), progress));
    add_stages(facts.stages, run->finish(progress));
    const std::vector<double> more = run->take_values()->take_point_values();
    for (std::size_t i = 0; i < values.size(); ++i) values[i] += more[i];
  });
  facts.engine_seconds = watch.seconds();
  return values;
}

/// Returns means of bounded kernels.
std::vector<double> bounded_means(const PointSetup& setup, std::span<const double> b,
                                  std::size_t channels, int threads, Progress& progress) {
  const std::size_t all = channels + 1;
  std::vector<double> sums(setup.places.size() / 3 * all, 0.0);
  for_each_kernel(setup, [&](const Kernel& kernel, const SamplesView& samples, const auto& index) {
    std::vector<double> weighted(samples.size() * all);
    for (std::size_t i = 0; i < samples.size(); ++i) {
      weighted[i * all] = samples.weight(i);
      for (std::size_t c = 0; c < channels; ++c)
        weighted[i * all + 1 + c] = samples.weight(i) * b[index(i) * channels + c];
    }
    const std::vector<double> more =
        RangeReduction(kernel, samples, threads).reduce(setup.places, weighted, all, progress);
    for (std::size_t i = 0; i < more.size(); ++i) sums[i] += more[i];
  });
  std::vector<double> means(sums.size() / all * channels, kNone);
  for (std::size_t i = 0; i < means.size(); ++i) {
    const double* const at = &sums[i / channels * all];
    if (at[0] > 0) means[i] = at[1 + i % channels] / at[0];
  }
  return means;
}

bool is_unbounded(const PointSetup& setup) { return !setup.box.kernel.function->is_bounded(); }

/// Logarithms are summed without a cut. So is the mass between faces that kernels are divided by.
double tolerance_of_logs(const DensityRequest& request) {
  constexpr double kNext = 1e-12;  // next to nothing
  const bool is_smaller = request.tolerance > 0 && request.tolerance < kNext;
  return is_smaller || !divides(request.boundaries) ? request.tolerance : kNext;
}

/// Returns logarithms of densities of an unbounded kernel, divided by the weight of the samples.
std::vector<double> log_values(PointSetup& setup, const DensityRequest& request, bool leave_one_out,
                               Progress& progress) {
  std::vector<double> logs =
      kernel_logs(setup, leave_one_out, {}, 0, request.options.threads, progress).logs;
  for (std::size_t i = 0; i < logs.size(); ++i)
    logs[i] -=
        std::log(leave_one_out ? weight_of_others(setup, i) : setup.facts.moments.total_weight());
  setup.facts.error_bound = kLogError;
  setup.facts.launch_policy = "logarithms of sums over all samples";
  return logs;
}

/// Returns the factors on the densities at points. For a count, the integral over all space becomes
/// the weight of the summed samples, without the one left out. Places beyond the box have density
/// 0.
std::vector<double> factors_of(const PointSetup& setup, Normalization normalization,
                               const PointWishes& wishes) {
  std::vector<double> factors(setup.beyond.size(), 1.0);
  if (normalization == Normalization::count)
    factors = wishes.leave_one_out
                  ? weights_of_others(setup)
                  : std::vector<double>(factors.size(), setup.facts.moments.total_weight());
  for (std::size_t i = 0; i < factors.size(); ++i)
    if (setup.beyond[i]) factors[i] = 0;
  return factors;
}

/// Normalises densities over all space, or their logarithms, as requested.
void normalise(PointSetup& setup, const DensityRequest& request, const PointWishes& wishes,
               bool by_logs, PointDensity& density) {
  const std::vector<double> factors = factors_of(setup, request.normalization, wishes);
  for (std::size_t i = 0; i < density.values.size(); ++i) {
    double& value = density.values[i];
    value = by_logs ? value + std::log(factors[i]) : value * factors[i];
    setup.facts.peak = std::max(setup.facts.peak, by_logs ? std::exp(value) : value);
  }
  for (std::size_t i = 0; i < density.gradients.size(); ++i) density.gradients[i] *= factors[i / 3];
}

}  // namespace

PointSetup set_up_points(CloudSource& source, const DensityRequest& request,
                         std::span<const double> points, bool runs, Progress& progress) {
  require_points(points);
  refuse_linear_faces(request, "values at points");
  source.settle_widths(request.kernel);
  PointSetup setup;
  DensityFacts& facts = setup.facts;
  facts.request = of_box(request);
  const GridAhead ahead = grid_ahead(facts.request);
  if (!request.is_automatic()) source.places.engine(request.engine, request.options);
  source.stages.clear();
  if (!source.index) require_cloud(source, progress);
  require_samples_for(source, request);
  require_frame_of_like(request, source.frame());
  const DensitySetup found =
      source.index ? set_up_indexed(source, facts.request, ahead, facts, progress)
                   : choose_kernel(source, facts.request, ahead, runs, facts, progress);
  if (!source.index) setup.cloud = runs && request.has_pilot() ? source.adapted : source.cloud;
  if (source.knows_bandwidth(request)) facts.warnings = source.data_driven->warnings;
  facts.stages = std::exchange(source.stages, {});
  facts.bandwidth = found.bandwidth;
  facts.kernel = found.kernel;
  facts.grid = found.grid;
  facts.precision =
      precision_in_range(request.precision, found.kernel, facts.moments.effective_samples(),
                         facts.moments.total_weight(), request.normalization);
  facts.normalization = request.normalization;
  facts.boundaries = request.boundaries;
  setup.box = {found.kernel, found.grid, facts.moments.total_weight(), request.tolerance,
               facts.precision};
  setup.box.samples = static_cast<double>(facts.cloud.samples);
  if (has_boundary(request.boundaries))
    setup.images.emplace(request.boundaries, setup.box, found.reach);
  place_points(setup, request.boundaries, points);
  return setup;
}

void for_each_kernel(
    const PointSetup& setup,
    const std::function<void(const Kernel&, const SamplesView&,
                             const std::function<std::size_t(std::size_t)>&)>& use) {
  const SamplesView& points = setup.cloud->points;
  if (!setup.images) return use(setup.box.kernel, points, [](std::size_t i) { return i; });
  for (std::size_t pass = 0; pass < setup.images->passes(); ++pass) {
    Samples samples;
    std::vector<std::size_t> of;
    for (std::size_t i = 0; i < points.size(); ++i) {
      setup.images->append(points, i, pass, BoundaryImages::Which::all, samples);
      of.resize(samples.size(), i);
    }
    Kernel kernel = setup.box.kernel;
    kernel.H = setup.images->matrix(pass);
    if (!of.empty()) use(kernel, samples.view(), [&](std::size_t i) { return of[i]; });
  }
}

namespace {

/// Sets up sums of means, and predicts what they take.
PointSetup set_up_means(CloudSource& source, const DensityRequest& request,
                        const TargetPoints& points, std::size_t channels, bool runs,
                        Progress& progress) {
  source.index.reset();
  refuse_sharpening(request, "means of values");
  PointSetup setup = set_up_points(source, request, points.xyz(), runs, progress);
  DensityFacts& plan = setup.facts;
  plan.problem = setup.box;
  plan.problem.target = points;
  plan.problem.precision = Precision::f64;
  const EngineOffer offer{&engine_entry(kRangesTraits.name),
                          make_ranges(request.options)->offer(plan.problem, plan.cloud)};
  plan.engine = kRangesTraits.name;
  const double host_bytes = require_room(source, offer.offer, plan.problem, plan.cloud);
  plan.forecast =
      in_turn(plan.forecast, forecast_of(setup, offer, host_bytes, points.size() * channels));
  return setup;
}

bool sums_logs(const DensityRequest& request, const PointWishes& wishes) {
  return wishes.log && !request.kernel->is_bounded();
}

/// Sets up sums of densities of all samples, or of those that an index of the source leads to.
PointSetup set_up_densities(CloudSource& source, const DensityRequest& request,
                            const TargetPoints& points, const PointWishes& wishes, bool runs,
                            Progress& progress) {
  if (request.normalization == Normalization::box)
    throw Error(ErrorKind::usage, "an integral over the box needs a grid, but points are given",
                {"normalize", "use `normalize=density` or `normalize=count`"});
  if (wishes.leave_one_out) refuse_sharpening(request, "leave-one-out densities");
  DensityRequest asked = request;
  if (sums_logs(request, wishes)) asked.tolerance = tolerance_of_logs(request);
  PointSetup setup = set_up_points(source, asked, points.xyz(), runs, progress);
  if (wishes.leave_one_out) require_own_points(setup, points.xyz());
  Problem& problem = setup.facts.problem;
  problem = setup.box;
  problem.target = TargetPoints(setup.places);
  const bool by_logs = sums_logs(request, wishes);
  if (wishes.leave_one_out || by_logs) problem.precision = setup.facts.precision = Precision::f64;
  setup.facts.offers = engine_offers(problem, setup.facts.cloud, request.options);
  if (wishes.leave_one_out || by_logs)
    asked.engine = by_logs ? std::string(kRangesTraits.name) : left_out_engine(setup, request);
  choose_engine(source, asked, (wishes.gradient ? 4 : 1) * points.size(), setup);
  return setup;
}

/// Sets up sums of densities, and predicts what they take.
PointSetup set_up_near(CloudSource& source, const DensityRequest& request,
                       const TargetPoints& points, const PointWishes& wishes, bool runs,
                       Progress& progress) {
  std::string ignored;
  if (find_point_index(source, request, wishes, ignored)) {
    PointSetup setup = set_up_densities(source, request, points, wishes, runs, progress);
    if (setup.facts.blocks) return setup;
    source.index.reset();  // all samples matter
  }
  PointSetup setup = set_up_densities(source, request, points, wishes, runs, progress);
  setup.facts.index_ignored = std::move(ignored);
  return setup;
}

}  // namespace

DensityPlan plan_points(CloudSource& source, const DensityRequest& request,
                        const TargetPoints& points, const PointWishes& wishes, Progress& progress) {
  return set_up_near(source, request, points, wishes, false, progress).facts;
}

DensityPlan plan_means(CloudSource& source, const DensityRequest& request,
                       const TargetPoints& points, std::size_t channels, Progress& progress) {
  return set_up_means(source, request, points, channels, false, progress).facts;
}

PointMeans means_at_points(CloudSource& source, const DensityRequest& request,
                           const TargetPoints& points, std::span<const double> b,
                           std::size_t channels, Progress& progress) {
  const StopWatch watch;
  PointSetup setup = set_up_means(source, request, points, channels, true, progress);
  if (channels == 0 || channels >= kMostChannels ||
      b.size() != setup.cloud->points.size() * channels)
    throw Error(ErrorKind::usage,
                fmt::format("expected {1} values for each of {2} samples; got {0}", b.size(),
                            channels, setup.cloud->points.size()),
                {"channels", fmt::format("give 1 to {} values, the same number for each sample",
                                         kMostChannels - 1)});
  PointMeans means{setup.facts, {}};
  means.values =
      is_unbounded(setup)
          ? kernel_logs(setup, false, b, channels, request.options.threads, progress).means
          : bounded_means(setup, b, channels, request.options.threads, progress);
  for (std::size_t i = 0; i < means.values.size(); ++i)
    if (setup.beyond[i / channels]) means.values[i] = kNone;
  means.facts.seconds = watch.seconds();
  return means;
}

PointDensity evaluate_at(CloudSource& source, const DensityRequest& request,
                         const TargetPoints& points, const PointWishes& wishes,
                         Progress& progress) {
  const StopWatch watch;
  const bool by_logs = sums_logs(request, wishes);
  PointSetup setup = set_up_near(source, request, points, wishes, true, progress);
  PointDensity density;
  DensityFacts& facts = setup.facts;
  if (facts.blocks) {
    setup.cloud = read_near(source, *facts.blocks, progress);
    add_stages(facts.stages, std::exchange(source.stages, {}));
  }
  if (by_logs)
    density.values = log_values(setup, request, wishes.leave_one_out, progress);
  else if (wishes.leave_one_out && facts.device == Device::cpu)
    density.values = sums_of_all(setup, request.options.threads, progress);
  else
    density.values =
        engine_values(setup, source.places.engine(facts.engine, request.options), progress);
  const std::span<const double> all = by_logs ? std::span<const double>() : density.values;
  if (wishes.gradient)
    density.gradients = point_gradients(setup, all, request, wishes.leave_one_out, progress);
  if (wishes.leave_one_out && !by_logs)
    density.values =
        left_out_values(setup, std::move(density.values), request.options.threads, progress);
  normalise(setup, request, wishes, by_logs, density);
  if (wishes.log && !by_logs)
    for (double& value : density.values) value = std::log(value);
  warn_of_index(facts, facts.warnings);
  if (!wishes.leave_one_out && !by_logs) warn_of_precision(request, facts, facts.warnings);
  if (!by_logs)
    warn_of_tolerance(request.tolerance, facts.error_bound, facts.precision, facts.warnings);
  facts.seconds = watch.seconds();
  density.facts = std::move(facts);
  return density;
}

}  // namespace skde

#include "estimate/plan/plan_points.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "core/report/error.hpp"
#include "engines/cpu/cpu_engines.hpp"
#include "estimate/plan/block_choice.hpp"
#include "estimate/plan/engine_choice.hpp"
#include "estimate/plan/plan_density.hpp"
#include "system/stop_watch.hpp"

namespace skde {
namespace {

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
  box.cells = CellValue::centre;
  return box;
}

/// Moves points along periodic axes into the box; marks those past faces where the box ends.
void place_points(PointSetup& setup, const Boundaries& boundaries, std::span<const double> points) {
  setup.places.assign(points.begin(), points.end());
  setup.beyond.assign(points.size() / 3, false);
  const Box box = setup.plan.grid.bounds();
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
  const Symmetric3 S = setup.plan.moments.covariance();
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

/// Reads the samples if they are not in memory. Throws Error(resources) if they do not fit.
void require_cloud(CloudSource& source, Progress& progress) {
  if (!source.cloud) {
    const double room = static_cast<double>(source.memory_limit() - kProgramBytes);
    std::optional<CloudBeginning> beginning = std::exchange(source.beginning, {});
    if (!beginning || beginning->first.size() > 0) beginning = begin_cloud(source.files);
    source.cloud = timed_stage(source.stages, "reading", [&] {
      return read_cloud(source.files, std::move(beginning->rest), std::max(room, 0.0), progress)
          .cloud;
    });
  }
  if (!source.cloud)
    throw Error(ErrorKind::resources, "the samples do not fit into memory",
                {"memory_limit", "raise `memory_limit`, or use fewer samples"});
}

/// Returns the bytes that an engine holds for the sums of these samples. Throws Error(resources) if
/// they are too many.
double require_room(const CloudSource& source, const Offer& offer, const Problem& problem,
                    const CloudFacts& cloud) {
  const auto samples = static_cast<double>(cloud.samples);
  const double needed =
      offer.host.bytes(samples, samples, static_cast<double>(target_size(problem.target)));
  if (needed > static_cast<double>(source.memory_limit()))
    throw Error(ErrorKind::resources, fmt::format("sums at points need {}", format_bytes(needed)),
                {"memory_limit", "raise `memory_limit`, or use fewer points or samples"});
  return needed;
}

/// Opens the files if sums at points may need only the samples near them, and looks for an index.
/// Returns whether there is one, which is then that of the source; `why_ignored` is as in
/// CloudSource::find_index().
bool find_point_index(CloudSource& source, const DensityRequest& request, const PointWishes& wishes,
                      std::string& why_ignored) {
  source.index.reset();
  const bool needs_all = wishes.leave_one_out || (wishes.log && !request.kernel->is_bounded()) ||
                         request.has_pilot() || is_data_driven(request.bandwidth) ||
                         source.files.columns.categorised() || has_boundary(request.boundaries);
  if (source.cloud || !source.in_parts || source.options.keeps_samples || needs_all) return false;
  source.stamps = io::InputStamps(source.files.paths);  // before anything is read
  source.beginning = begin_cloud(source.files);
  return source.find_index(request.bandwidth, why_ignored);
}

/// Returns the rows of the indexed file that are within the offer's reach of the points' box. None
/// if all rows are, or all samples matter.
std::optional<BlockChoice> rows_near(const CloudSource& source, std::span<const double> points,
                                     const Offer& offer) {
  if (!source.index || !offer.reach) return std::nullopt;
  const Box box = compute_moments({points}).bounds();
  BlockChoice choice = choose_blocks(*source.index, box, *offer.reach, 0);
  return choice.skipped_samples > 0 ? std::optional(std::move(choice)) : std::nullopt;
}

/// Throws Error(usage) if the points are not the samples themselves, and Error(input) if one of
/// these has all the weight.
void require_own_points(const PointSetup& setup, std::span<const double> points) {
  const SamplesView& own = setup.cloud->points;
  if (!std::ranges::equal(own.xyz, points))
    throw Error(ErrorKind::usage,
                "leave-one-out needs the samples as points, but other points are given",
                {"loo", "leave out `loo`, or give the cloud itself"});
  for (std::size_t i = 0; i < own.size(); ++i)
    if (!(weight_of_others(setup, i) > 0))
      throw Error(ErrorKind::input, "one sample has all the weight, so nothing is left without it",
                  {"loo", "leave out `loo`, or use more samples"});
}

/// Returns the engine for logarithms, and for sums from which each sample's own kernel is
/// subtracted: one that approximates nothing. Throws Error(usage) if it cannot be the one named.
std::string exact_engine(const PointSetup& setup, const DensityRequest& request, bool by_logs) {
  const EngineEntry& wanted =
      request.is_automatic()
          ? *ranked_offers(setup.plan.offers, request.tolerance, {request.device, false})
                 .front()
                 ->entry
          : engine_entry(request.engine);
  // Engines that serve no grids sum in double.
  const EngineTraits& exact = wanted.traits.serves_grids ? kRangesTraits : wanted.traits;
  if (!by_logs || !setup.images || exact.device == Device::cpu) return std::string(exact.name);
  if (!request.is_automatic())
    throw Error(ErrorKind::usage,
                fmt::format("engine {} does not sum logarithms beside faces", exact.name),
                {"engine", "use `engine=ranges`, or leave `engine` out"});
  return std::string(kRangesTraits.name);
}

/// Logarithms are summed without a cut. So is the mass between faces that kernels are divided by.
double tolerance_of_logs(const DensityRequest& request) {
  constexpr double kNext = 1e-12;  // next to nothing
  const bool is_smaller = request.tolerance > 0 && request.tolerance < kNext;
  return is_smaller || !divides(request.boundaries) ? request.tolerance : kNext;
}

/// Sets up what all sums at points need.
PointSetup set_up_points(CloudSource& source, const DensityRequest& request,
                         std::span<const double> points, bool runs, Progress& progress) {
  require_points(points);
  refuse_linear_faces(request, "values at points");
  source.settle_widths(request.kernel);
  PointSetup setup;
  DensityPlan& plan = setup.plan;
  plan.request = of_box(request);
  const GridAhead ahead = grid_ahead(plan.request);
  if (!request.is_automatic()) source.engines.named(request.engine, request.options);
  source.stages.clear();
  if (!source.index) require_cloud(source, progress);
  require_samples_for(source, request);
  require_frame_of_like(request, source.frame());
  const DensitySetup found = source.index
                                 ? set_up_indexed(source, plan.request, ahead, plan, progress)
                                 : choose_kernel(source, plan.request, ahead, runs, plan, progress);
  if (!source.index) setup.cloud = runs && request.has_pilot() ? source.adapted : source.cloud;
  if (source.knows_bandwidth(request)) setup.warnings = source.data_driven->warnings;
  setup.stages = std::exchange(source.stages, {});
  plan.bandwidth = found.bandwidth;
  plan.kernel = found.kernel;
  plan.grid = found.grid;
  plan.precision = precision_in_range(request.precision, found.kernel.amplitude(),
                                      plan.moments.effective_samples(), plan.moments.total_weight(),
                                      request.normalization);
  plan.normalization = request.normalization;
  plan.boundaries = request.boundaries;
  setup.box = {found.kernel, found.grid, plan.moments.total_weight(), request.tolerance,
               plan.precision};
  setup.box.signed_weights = columns_of(source).signed_weights;
  setup.box.samples = static_cast<double>(plan.cloud.samples);
  if (has_boundary(request.boundaries))
    setup.images.emplace(request.boundaries, setup.box, found.reach);
  place_points(setup, request.boundaries, points);
  return setup;
}

/// Sets up sums of densities of all samples, or of those that an index of the source leads to.
PointSetup set_up_sums(CloudSource& source, const DensityRequest& request,
                       const TargetPoints& points, const PointWishes& wishes, bool runs,
                       Progress& progress) {
  if (request.normalization == Normalization::box)
    throw Error(ErrorKind::usage, "an integral over the box needs a grid, but points are given",
                {"normalize", "use `normalize=density` or `normalize=count`"});
  if (wishes.leave_one_out) refuse_sharpening(request, "leave-one-out densities");
  if (wishes.leave_one_out || wishes.log)
    refuse_signed_weights(columns_of(source), "leave-one-out values and logarithms need");
  DensityRequest asked = request;
  if (sums_logs(request, wishes)) asked.tolerance = tolerance_of_logs(request);
  PointSetup setup = set_up_points(source, asked, points.xyz(), runs, progress);
  if (wishes.leave_one_out) require_own_points(setup, points.xyz());
  DensityPlan& plan = setup.plan;
  Problem& problem = plan.problem;
  problem = setup.box;
  problem.target = TargetPoints(setup.places);
  const bool by_logs = sums_logs(request, wishes);
  if (wishes.leave_one_out || by_logs) problem.precision = setup.plan.precision = Precision::f64;
  setup.plan.offers =
      offers_for(problem, setup.plan.cloud, request, {request.device, source.options.resident});
  if (wishes.leave_one_out || by_logs) asked.engine = exact_engine(setup, request, by_logs);
  const EngineOffer& chosen =
      choose_engine(plan, permitted_offers(source.engines, asked, plan, {asked.device}),
                    [](const EngineOffer&) { return std::string(); });
  if (by_logs && plan.device != Device::cpu) {
    constexpr double kUncut = 1e-30;  // a GPU's sums are of next to all of the kernel
    problem.kernel.tolerance = setup.box.kernel.tolerance = kUncut;
  }
  plan.blocks = rows_near(source, setup.places, chosen.offer);
  CloudFacts summed = plan.cloud;
  if (plan.blocks) summed.samples = static_cast<std::int64_t>(plan.blocks->read_samples());
  const double host_bytes = require_room(source, chosen.offer, problem, summed);
  const std::size_t values = (wishes.gradient ? 4 : 1) * points.size();
  plan.forecast = in_turn(plan.forecast, forecast_of(setup, chosen, host_bytes, values));
  return setup;
}

}  // namespace

double weight_of_others(const PointSetup& setup, std::size_t i) {
  const SamplesView& points = setup.cloud->points;
  const double whole = setup.plan.moments.total_weight();
  if (points.weight(i) <= 0.5 * whole) return whole - points.weight(i);
  double others = 0;
  for (std::size_t j = 0; j < points.size(); ++j) others += j == i ? 0 : points.weight(j);
  return others;
}

bool sums_logs(const DensityRequest& request, const PointWishes& wishes) {
  return wishes.log && !request.kernel->is_bounded();
}

PointSetup set_up_means(CloudSource& source, const DensityRequest& request,
                        const TargetPoints& points, std::size_t channels, bool runs,
                        Progress& progress) {
  source.index.reset();
  refuse_sharpening(request, "means of values");
  refuse_signed_weights(columns_of(source), "means of values need");
  PointSetup setup = set_up_points(source, request, points.xyz(), runs, progress);
  DensityPlan& plan = setup.plan;
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

PointSetup set_up_densities(CloudSource& source, const DensityRequest& request,
                            const TargetPoints& points, const PointWishes& wishes, bool runs,
                            Progress& progress) {
  std::string ignored;
  if (find_point_index(source, request, wishes, ignored)) {
    PointSetup setup = set_up_sums(source, request, points, wishes, runs, progress);
    if (setup.plan.blocks) return setup;
    source.index.reset();  // all samples matter
  }
  PointSetup setup = set_up_sums(source, request, points, wishes, runs, progress);
  setup.plan.index_ignored = std::move(ignored);
  return setup;
}

}  // namespace skde

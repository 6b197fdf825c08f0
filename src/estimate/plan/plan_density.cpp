#include "estimate/plan/plan_density.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/report/error.hpp"
#include "core/report/thread_room.hpp"
#include "estimate/plan/engine_choice.hpp"
#include "estimate/plan/planning.hpp"
#include "io/points/row_index.hpp"
#include "system/stop_watch.hpp"

namespace skde {
namespace {

/// Assumed rows of a cloud that is read in parts and has not been counted: it must be a large one.
constexpr std::int64_t kUnknownRows = 100000000;

[[noreturn]] void throw_without_samples() {
  throw Error(ErrorKind::resources,
              "a data-driven bandwidth needs all samples in memory, and they do not fit",
              {"memory_limit", "raise `memory_limit`, or use `bandwidth=silverman`"});
}

/// Sets up a density whose kernel and grid do not depend on the samples.
DensitySetup set_up_one_pass(Planning& planning) {
  DensityPlan& plan = planning.plan;
  const io::CloudStream& stream = *planning.source.beginning->rest;
  if (stream.inputs_left() == 0) planning.rows = static_cast<std::int64_t>(stream.checked_rows());
  plan.cloud = {planning.rows > 0 ? planning.rows : kUnknownRows,
                planning.source.files.columns.weighted(), false};
  return set_up_independent(plan.request, *planning.ahead.grid);
}

/// Sets up a density that takes a first pass for the moments, and another for the sums.
DensitySetup set_up_two_passes(Planning& planning) {
  CloudSource& source = planning.source;
  DensityPlan& plan = planning.plan;
  const io::ColumnSelection& columns = source.files.columns;
  if (is_data_driven(plan.request.bandwidth) && !columns.shaped()) throw_without_samples();
  require_read_again(source.files.paths, source.memory_limit());
  const CloudMoments found = timed_stage(source.stages, "first pass", [&] {
    return read_moments(source.files, *std::exchange(source.beginning, {}), planning.progress);
  });
  plan.moments = found.moments;
  plan.counts = found.counts;
  plan.columns = found.columns;
  plan.cloud = {static_cast<std::int64_t>(found.moments.count()), columns.weighted(),
                columns.shaped()};
  return set_up_density(plan.request, plan.moments, found.inner_bounds, planning.ahead,
                        found.shapes,
                        source.choose_from_data(plan.request, plan.moments, planning.progress));
}

DensitySetup set_up(Planning& planning) {
  DensityPlan& plan = planning.plan;
  CloudSource& source = planning.source;
  const io::ColumnSelection& columns = source.files.columns;
  require_samples_for(source, plan.request);
  plan.one_pass = !is_in_memory(planning) && planning.ahead.grid &&
                  has_fixed_kernel(plan.request) && !columns.shaped();
  if (plan.one_pass) return set_up_one_pass(planning);
  if (source.index)
    return set_up_indexed(source, plan.request, planning.ahead, plan, planning.progress);
  if (!source.cloud) return set_up_two_passes(planning);
  return choose_kernel(source, plan.request, planning.ahead, planning.orders.runs, plan,
                       planning.progress);
}

/// Bounds the share of weight of all samples with their images, and that of one sample. A single
/// pass does not know the weights: they may exceed what is known by the factors below.
void bound_shares(const CloudSource& source, DensityPlan& plan) {
  constexpr double kMoreInAll = 64, kMoreOfOne = 4096;
  Boundaries faces = plan.boundaries;
  std::ranges::replace(faces, Boundary::periodic, Boundary::none);
  Problem& problem = plan.problem;
  const double growth = has_boundary(faces) && !plan.cloud.shaped
                            ? BoundaryImages(faces, problem, plan.reach).growth()
                            : 1;
  problem.whole_share = growth * (plan.one_pass ? kMoreInAll : 1);
  const bool weighted =
      source.cloud ? source.cloud->points.weighted() : source.files.columns.weighted();
  double largest = 1 / problem.total_weight;
  if (weighted && plan.one_pass)
    largest *= kMoreOfOne;
  else if (weighted)  // no weight exceeds the root of the sum of all squares
    largest = 1 / std::sqrt(plan.moments.effective_samples());
  problem.largest_share = std::isfinite(largest) ? std::min(1.0, largest) * growth : growth;
}

Precision precision_for(const DensityPlan& plan) {
  const double samples =
      plan.one_pass ? static_cast<double>(kUnknownRows) : plan.moments.effective_samples();
  const double weight = plan.one_pass ? 1 : plan.moments.total_weight();
  double height = plan.kernel.amplitude();
  if (plan.request.cells == CellValue::mean) height = std::min(height, 1 / plan.grid.cell_volume());
  return precision_in_range(plan.request.precision, height, samples, weight, plan.normalization);
}

void set_problem(const CloudSource& source, DensityPlan& plan) {
  const auto samples = static_cast<double>(plan.cloud.samples);
  const double total = plan.one_pass ? std::exp2(std::ceil(std::log2(std::max(samples, 1.0))))
                                     : plan.moments.total_weight();
  Problem& problem = plan.problem;
  problem = {plan.kernel, plan.grid, total, plan.request.tolerance, plan.precision};
  problem.cells = plan.request.cells;
  if (plan.cloud.shaped && problem.cells == CellValue::centre)
    problem.min_width = plan.min_width = plan.request.min_width;
  problem.signed_weights = columns_of(source).signed_weights;
  problem.keep_negatives = plan.request.keep_negatives || problem.signed_weights;
  problem.samples = samples;
  for (std::size_t a = 0; a < 3; ++a)
    if (const int axis = static_cast<int>(a); plan.boundaries[a] == Boundary::periodic)
      problem.periods[axis] = static_cast<double>(plan.grid.dims[a]) * plan.grid.spacing[axis];
  plan.cloud.weighted = plan.cloud.weighted || divides(plan.boundaries);
  bound_shares(source, plan);
}

}  // namespace

DensitySetup set_up_indexed(CloudSource& source, const DensityRequest& request,
                            const GridAhead& ahead, DensityPlan& plan, Progress& progress) {
  const io::RowIndex& index = *source.index;
  plan.moments = index.moments;
  plan.counts = counts_of(index);
  plan.columns = source.beginning->rest->columns();
  plan.cloud = {static_cast<std::int64_t>(index.moments.count()), false, false};
  return set_up_density(request, plan.moments, index.inner_bounds, ahead, {},
                        source.choose_from_data(request, plan.moments, progress));
}

DensitySetup choose_kernel(CloudSource& source, const DensityRequest& request,
                           const GridAhead& ahead, bool runs, DensityPlan& plan,
                           Progress& progress) {
  const SampleCloud& cloud = *source.cloud;
  plan.moments = cloud.moments;
  plan.counts = cloud.counts;
  plan.columns = cloud.columns;
  plan.cloud = cloud.facts();
  DensityRequest asked = request;
  std::optional<Bandwidth> chosen;
  const bool automatic = is_automatic(request.bandwidth);  // takes a moment, so plans know it
  if (is_scored(request.bandwidth) && !cloud.shapes.has_shapes()) {
    if (runs || automatic || source.knows_bandwidth(request)) {
      chosen = source.choose_from_data(request, plan.moments, progress);
    } else {
      plan.is_provisional = true;
      plan.forecast = in_turn(plan.forecast, source.data_driven_forecast(request));
      asked.bandwidth.bandwidth = BandwidthRule::silverman;
    }
  }
  DensitySetup setup =
      set_up_density(asked, plan.moments, cloud.inner_bounds, ahead, cloud.shapes, chosen);
  if (request.has_pilot()) {
    plan.cloud.shaped = plan.cloud.shaped || request.adaptive;
    if (runs && !plan.is_provisional) {
      plan.adaptive = source.adapt(request, setup, progress);
    } else {
      plan.is_provisional = true;
      plan.forecast = in_turn(plan.forecast, source.pilot_forecast(request));
    }
  }
  return setup;
}

namespace {

/// Plans with or without an index. Returns none if an index was found, but all must be read.
std::optional<DensityPlan> plan_once(CloudSource& source, const DensityRequest& request,
                                     const PlanOrders& orders, Progress& progress,
                                     bool uses_index) {
  source.stages.clear();
  source.started.reset();  // left by a plan that was not run
  source.index.reset();
  Planning planning{source, orders, progress};
  planning.uses_index = uses_index;
  DensityPlan& plan = planning.plan;
  plan.request = request;
  plan.use = orders.use;
  plan.normalization = request.normalization;
  plan.boundaries = request.boundaries;
  require_means(request);
  planning.ahead = grid_ahead(request);
  // A wrong name is reported before anything is read.
  if (!request.is_automatic()) source.engines.named(request.engine, request.options);
  require_room(planning.ahead, request.precision, orders.use, source.memory_limit());
  if (!source.cloud) read_samples(planning);
  require_frame_of_like(request, source.frame());
  const DensitySetup setup = set_up(planning);
  require_frame_of_like(request, plan.columns.frame);  // of samples that were opened only now
  plan.bandwidth = setup.bandwidth;
  plan.kernel = setup.kernel;
  plan.grid = setup.grid;
  plan.reach_ratio = setup.reach_ratio;
  plan.reach = setup.reach;
  require_countable(plan.grid);
  plan.precision = precision_for(plan);
  set_problem(source, plan);
  plan.offers = orders.asks_gpus ? engine_offers(plan.problem, plan.cloud, request.options)
                                 : offers_for(plan.problem, plan.cloud, request, wish_of(planning));
  const WorkForecast before = plan.forecast;
  try {
    if (orders.runs) read_ahead(planning);
    choose_engine(planning);
  } catch (...) {
    source.started.reset();  // it uses this progress
    throw;
  }
  if (source.index && !plan.obstacle && !choose_blocks(planning)) return std::nullopt;
  plan.forecast = in_turn(before, plan.forecast);
  return std::move(planning.plan);
}

}  // namespace

DensityPlan plan_density(CloudSource& source, const DensityRequest& request,
                         const PlanOrders& orders, Progress& progress) {
  require_threads(request.options.threads);
  source.settle_widths(request.kernel);
  std::optional<DensityPlan> plan = plan_once(source, request, orders, progress, true);
  if (!plan) plan = plan_once(source, request, orders, progress, false);
  return *std::move(plan);
}

}  // namespace skde

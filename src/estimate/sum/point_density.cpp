#include "estimate/sum/point_density.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/report/error.hpp"
#include "engines/cpu/ranges/log_sums.hpp"
#include "engines/cpu/ranges/range_reduction.hpp"
#include "engines/registry/offer_choice.hpp"
#include "estimate/plan/density_warnings.hpp"
#include "estimate/plan/planned_parts.hpp"
#include "estimate/sum/left_out_density.hpp"
#include "system/stop_watch.hpp"

namespace skde {

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

/// Error of the logarithm of a density of Gaussians.
constexpr double kLogError = 2e-11;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

DensityFacts facts_of(const PointSetup& setup) {
  DensityFacts facts(setup.plan);
  facts.warnings = setup.warnings;
  facts.stages = setup.stages;
  return facts;
}

/// Returns densities by the engine, divided by W.
std::vector<double> engine_values(const PointSetup& setup, Engine& engine, DensityFacts& facts,
                                  Progress& progress) {
  std::vector<double> values(setup.places.size() / 3, 0.0);
  const StopWatch watch;
  for_each_kernel(setup, [&](const Kernel& kernel, const SamplesView& samples, const auto&) {
    Problem pass = setup.plan.problem;
    pass.kernel = kernel;
    const std::unique_ptr<Run> run = engine.begin(pass);
    add_stages(facts.stages, run->add(*engine.load(samples), progress));
    add_stages(facts.stages, run->finish(progress));
    facts.launch_policy = run->launch_policy();
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

struct SummedImages {
  LogSums sums;
  double log_of_heights = -std::numeric_limits<double>::infinity();
};

SummedImages sum_images(const PointSetup& setup, bool leave_one_out, std::span<const double> b,
                        std::size_t channels, int threads, Progress& progress) {
  const std::size_t points = setup.places.size() / 3;
  std::vector<std::size_t> numbers(leave_one_out ? points : 0);
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  SummedImages all{{std::vector<double>(points, -std::numeric_limits<double>::infinity()),
                    std::vector<double>(points * channels, kNone)}};
  for_each_kernel(setup, [&](const Kernel& kernel, const SamplesView& samples, const auto& index) {
    std::vector<std::size_t> of_sample(leave_one_out ? samples.size() : 0);
    for (std::size_t i = 0; i < of_sample.size(); ++i) of_sample[i] = index(i);
    std::vector<double> carried(samples.size() * channels);
    for (std::size_t i = 0; i < carried.size(); ++i)
      carried[i] = b[index(i / channels) * channels + i % channels];
    const KernelLogs kernels(kernel, samples, threads);
    all.sums.add(
        kernels.at(setup.places, {of_sample, numbers}, carried, channels, progress, "accumulate"));
    all.log_of_heights = std::max(all.log_of_heights, kernels.log_of_heights());
  });
  return all;
}

/// Returns the sqrt(q), from the box on, beyond which images add nothing that counts at any point.
double reach_that_counts(const PointSetup& setup, const SummedImages& found) {
  constexpr double kShare = 25.4, kCopies = 6;  // logarithms: of 1e11, and of the images of a
                                                // sample
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < found.sums.logs.size(); ++i)
    if (!setup.beyond[i] && std::isfinite(found.sums.logs[i]))
      least = std::min(least, found.sums.logs[i]);
  return setup.box.kernel.function->root_of_fall(
      std::max(0.0, found.log_of_heights + kShare + kCopies - least));
}

/// Returns sums of unbounded kernels, not divided by W: of all samples at the points, or of all
/// others at each sample. Also returns the means of `channels` numbers per sample. Adds images to
/// `setup` as far beyond faces as they count at the points. Throws what KernelLogs and
/// BoundaryImages throw.
LogSums kernel_logs(PointSetup& setup, bool leave_one_out, std::span<const double> b,
                    std::size_t channels, int threads, Progress& progress) {
  if (!setup.images) return sum_images(setup, leave_one_out, b, channels, threads, progress).sums;
  const SummedImages found = sum_images(setup, leave_one_out, b, 0, threads, progress);
  const double further = reach_that_counts(setup, found) / setup.box.kernel.cut();
  if (further > 1) setup.images->reach_further(further);
  return sum_images(setup, leave_one_out, b, channels, threads, progress).sums;
}

/// Returns logarithms of densities of an unbounded kernel, divided by the weight of the samples.
std::vector<double> log_values(PointSetup& setup, const DensityRequest& request, bool leave_one_out,
                               Progress& progress) {
  std::vector<double> logs =
      kernel_logs(setup, leave_one_out, {}, 0, request.options.threads, progress).logs;
  for (std::size_t i = 0; i < logs.size(); ++i)
    logs[i] -=
        std::log(leave_one_out ? weight_of_others(setup, i) : setup.plan.moments.total_weight());
  return logs;
}

/// Returns the same by a GPU, where its sums of Gaussians have enough digits, and by the CPU
/// elsewhere.
std::vector<double> device_logs(PointSetup& setup, Engine& engine, const DensityRequest& request,
                                bool leave_one_out, DensityFacts& facts, Progress& progress) {
  constexpr double kFaint = 1e-17;  // of the largest value; what is cut adds less than kLogError
  constexpr double kLittle = 1e-3;  // of a sample's own kernel, which is subtracted
  const int threads = request.options.threads;
  std::vector<double> logs = engine_values(setup, engine, facts, progress);
  if (leave_one_out) logs = left_out_values(setup, std::move(logs), threads, progress);
  const SamplesView& samples = setup.cloud->points;
  const double whole = setup.plan.moments.total_weight(), own = setup.box.kernel.amplitude();
  const auto weight = [&](std::size_t i) {
    return leave_one_out ? weight_of_others(setup, i) : whole;
  };
  const double faint = kFaint * *std::ranges::max_element(logs);
  std::vector<std::size_t> again, all(leave_one_out ? samples.size() : 0);
  std::vector<double> places;
  for (std::size_t i = 0; i < logs.size(); ++i) {
    const double least = leave_one_out ? kLittle * own * samples.weight(i) / weight(i) : 0;
    if (logs[i] > std::max(faint, least)) {
      logs[i] = std::log(logs[i]);
      continue;
    }
    again.push_back(i);
    places.insert(places.end(), &setup.places[3 * i], &setup.places[3 * i] + 3);
  }
  if (again.empty()) return logs;
  std::iota(all.begin(), all.end(), std::size_t{0});
  const std::span<const std::size_t> left_out =
      leave_one_out ? std::span<const std::size_t>(again) : std::span<const std::size_t>();
  const std::vector<double> sums = KernelLogs(setup.box.kernel, samples, threads)
                                       .at(places, {all, left_out}, {}, 0, progress, "logarithms")
                                       .logs;
  for (std::size_t n = 0; n < again.size(); ++n)
    logs[again[n]] = sums[n] - std::log(weight(again[n]));
  return logs;
}

/// Returns the factors on the densities at points. For a count, the integral over all space becomes
/// the weight of the summed samples, without the one left out. Places beyond the box have density
/// 0.
std::vector<double> factors_of(const PointSetup& setup, Normalization normalization,
                               const PointWishes& wishes) {
  const double weight = setup.plan.moments.total_weight();
  std::vector<double> factors(setup.beyond.size(), normalization_scale(normalization, 1, weight));
  if (normalization == Normalization::count && wishes.leave_one_out)
    factors = weights_of_others(setup);
  for (std::size_t i = 0; i < factors.size(); ++i)
    if (setup.beyond[i]) factors[i] = 0;
  return factors;
}

/// Normalises densities over all space, or their logarithms, as requested.
void normalise(const PointSetup& setup, const DensityRequest& request, const PointWishes& wishes,
               bool by_logs, PointDensity& density) {
  const std::vector<double> factors = factors_of(setup, request.normalization, wishes);
  for (std::size_t i = 0; i < density.values.size(); ++i) {
    double& value = density.values[i];
    value = by_logs ? value + std::log(factors[i]) : value * factors[i];
    density.facts.peak = std::max(density.facts.peak, by_logs ? std::exp(value) : value);
  }
  for (std::size_t i = 0; i < density.gradients.size(); ++i) density.gradients[i] *= factors[i / 3];
}

/// Reads these rows as the samples that are summed. Throws Error(resources) if they do not fit into
/// memory.
std::shared_ptr<const SampleCloud> read_near(CloudSource& source, const BlockChoice& rows,
                                             Progress& progress) {
  const double bytes = host_sample_bytes(false, false) * static_cast<double>(rows.read_samples());
  if (bytes > static_cast<double>(source.memory_limit() - kProgramBytes))
    throw Error(ErrorKind::resources, "the samples near the points do not fit into memory",
                {"memory_limit", "raise `memory_limit`, or use fewer points at a time"});
  auto cloud = std::make_shared<SampleCloud>();
  const std::shared_ptr<const Samples> samples = read_blocks(source, rows, progress);
  cloud->points = samples->view();
  cloud->owner = samples;
  return cloud;
}

}  // namespace

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
  PointMeans means{facts_of(setup), {}};
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
  PointSetup setup = set_up_densities(source, request, points, wishes, true, progress);
  PointDensity density{facts_of(setup), {}, {}};
  DensityFacts& facts = density.facts;
  if (facts.blocks) {
    setup.cloud = read_near(source, *facts.blocks, progress);
    add_stages(facts.stages, std::exchange(source.stages, {}));
  }
  if (by_logs) facts.error_bound = kLogError;
  if (by_logs && facts.device != Device::cpu) {
    density.values = device_logs(setup, source.engines.named(facts.engine, request.options),
                                 request, wishes.leave_one_out, facts, progress);
  } else if (by_logs) {
    density.values = log_values(setup, request, wishes.leave_one_out, progress);
    facts.launch_policy = "logarithms of sums over all samples";
  } else if (wishes.leave_one_out && facts.device == Device::cpu)
    density.values = sums_of_all(setup, request.options.threads, progress);
  else
    density.values =
        engine_values(setup, source.engines.named(facts.engine, request.options), facts, progress);
  if (wishes.gradient)
    density.gradients = gradients_at(setup, request, wishes.leave_one_out, progress);
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
  return density;
}

}  // namespace skde

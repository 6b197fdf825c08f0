#include "commands/fit_input.hpp"

#include <fmt/core.h>

#include <cmath>
#include <utility>

#include "cli/command_session.hpp"
#include "commands/output/volume_input.hpp"
#include "core/report/stage_times.hpp"
#include "engines/registry/mixture_engines.hpp"
#include "estimate/read/piloted_cloud.hpp"
#include "estimate/values/density_setup.hpp"

namespace skde::cli {

std::optional<Symmetric3> kernel_covariance(const DensityMetadata& metadata,
                                            const SampleCloud* cloud) {
  if (cloud && metadata.sharpened)
    throw Error(ErrorKind::unsupported,
                "a mixture is fitted to samples as they are, and these were sharpened",
                {"sharpen", "write the density to a file and fit that, or leave out `sharpen`"});
  const bool is_shared = !(cloud && cloud->points.shaped()) && !metadata.bandwidth_source.empty() &&
                         metadata.bandwidth_source != "samples" && metadata.adaptive == 0;
  if (!is_shared || !is_positive_definite(metadata.H)) return std::nullopt;
  return metadata.kernel->variance * metadata.H;
}

namespace {

GivenDensity read_given(const FitSource& source, Progress& progress) {
  VolumeInput input = read_input(source.volume, progress, source.density->files.open);
  require_density(input.file.metadata, input.path + ": ");
  GivenDensity given{std::move(input.file.volume), std::move(input.file.metadata)};
  given.kernel = kernel_covariance(given.metadata);
  given.path = std::move(input.path);
  given.warnings = std::move(input.warnings);
  return given;
}

SessionOptions session_options(const FitSource& source) {
  SessionOptions options;
  options.memory_limit = source.density->memory_limit;
  return options;
}

GivenDensity compute_given(Session& session, const FitSource& source, Progress& progress) {
  Density density = session.compute(source.density->request, progress);
  GivenDensity given{density.take_volume(), density.metadata};
  given.facts = density.facts();
  given.metadata = describe(*given.facts, source.density->units);
  given.cloud = session.cloud();
  if (!source.is_fitted) return given;
  given.kernel = kernel_covariance(given.metadata, given.cloud.get());
  if (source.needs_kernels || !given.facts->adaptive)
    given.own_kernels = own_kernels(given.cloud, *given.facts, progress);
  return given;
}

/// The logarithms of the density at points, normalised as the volume is.
std::vector<double> logarithms_at(Session& session, const FitSource& source,
                                  const GivenDensity& given, Progress& progress) {
  DensityRequest request = source.density->request;
  const Normalization wanted = std::exchange(request.normalization, Normalization::density);
  PointWishes wishes;
  wishes.log = true;
  std::vector<double> logs =
      session.evaluate(request, TargetPoints(given.held_out.xyz), wishes, progress).values;
  const DensityFacts& facts = *given.facts;
  const double factor =
      normalization_scale(wanted, facts.mass_in_box, facts.moments.total_weight());
  for (double& log : logs) log += std::log(factor);
  return logs;
}

GivenDensity hold_out_and_compute(const SampleCloud& all, const FitSource& source,
                                  Progress& progress) {
  SplitSamples split = hold_out(all.points, source.held_out_share, source.seed);
  if (split.kept.size() == 0 || split.held_out.size() == 0)
    throw Error(ErrorKind::input,
                fmt::format("of {} samples, {} are held out and {} are left", all.points.size(),
                            split.held_out.size(), split.kept.size()),
                {"hold_out", "give another share with `hold_out`"});
  Session session(session_options(source));
  io::CloudCounts counts = all.counts;
  counts.left_out += split.held_out.size();
  session.open(make_cloud(all.files, {std::move(split.kept), counts, all.columns}));
  GivenDensity given = compute_given(session, source, progress);
  given.held_out = std::move(split.held_out);
  given.held_out_logs = logarithms_at(session, source, given, progress);
  return given;
}

/// The sizes that determine the cost of a fit.
struct FitScale {
  Grid grid;
  Symmetric3 spread;     ///< covariance of what is fitted
  WorkForecast density;  ///< of the density that is computed first
};

FitScale scale_of(const FitSource& source, SessionKeeper* sessions, Progress& progress) {
  constexpr double kUniform = 1.0 / 12;  // variance of a uniform distribution on [0, 1]
  if (!source.volume.empty()) {
    const Grid grid = io::read_volume_head(source.volume, source.density->files.open).grid;
    const Vec3 e = grid.bounds().extent();
    return {grid, kUniform * Symmetric3::diagonal(e.x * e.x, e.y * e.y, e.z * e.z), {}};
  }
  CommandSession session(sessions, source.density->files, session_options(source), false, progress);
  const DensityPlan plan = session->plan(source.density->request, progress);
  plan.require_runnable();
  return {plan.grid, plan.moments.covariance(), plan.forecast};
}

/// The offer of a step by the device that the fit would use.
Offer step_offer(const MixtureProblem& problem, std::size_t members, const Symmetric3& typical,
                 std::optional<Device>& device) {
  if (device) return mixture_offer(problem, members, typical, *device);
  Offer cpu = mixture_offer(problem, members, typical, Device::cpu),
        gpu = mixture_offer(problem, members, typical, Device::cuda);
  const bool on_gpu = gpu.serves() && gpu.seconds.run < cpu.seconds.run;
  device = on_gpu ? Device::cuda : Device::cpu;
  return on_gpu ? gpu : cpu;
}

}  // namespace

FitInput GivenDensity::input() const {
  FitInput input;
  input.volume = &volume;
  if (cloud) input.samples = cloud->points;
  if (kernel) input.kernel = *kernel;
  input.own_kernels = own_kernels;
  return input;
}

GivenDensity given_density(const FitSource& source, SessionKeeper* sessions, Progress& progress) {
  if (!source.volume.empty()) return read_given(source, progress);
  const CloudFiles& files = source.density->files;
  CommandSession session(sessions, files, session_options(source), source.needs_samples, progress);
  if (source.held_out_share == 0) return compute_given(*session, source, progress);
  try {
    return hold_out_and_compute(*session->cloud(), source, progress);
  } catch (const Error& error) {
    throw naming_inputs(error, files.paths);
  }
}

std::optional<SampledDivergence> held_out_divergence(const GivenDensity& given,
                                                     const Mixture& mixture,
                                                     const EngineOptions& options,
                                                     Progress& progress) {
  if (given.held_out.size() == 0) return std::nullopt;
  return sampled_divergence(
      given.held_out_logs,
      mixture_logs_at(mixture, TargetPoints(given.held_out.xyz), options, progress),
      given.held_out.weights);
}

WorkForecast fit_forecast(const FitSource& source, const FitSpec& spec, SessionKeeper* sessions,
                          Progress& progress) {
  constexpr std::size_t kSomeMembers = 4096;  // if K is searched for
  constexpr double kFileBytes = 18 * sizeof(float);
  const FitScale scale = scale_of(source, sessions, progress);
  const std::size_t members = spec.members > 0 ? spec.members : kSomeMembers;
  const auto count = static_cast<double>(members), cells = static_cast<double>(scale.grid.cells());
  const Vec3 d = scale.grid.spacing;
  MixtureProblem problem;
  problem.target = problem.frame = scale.grid;
  problem.kernel = Symmetric3::diagonal(d.x * d.x, d.y * d.y, d.z * d.z);
  std::optional<Device> device = spec.device;
  const Offer offer = step_offer(problem, members,
                                 std::pow(count, -2.0 / 3) * scale.spread + problem.kernel, device);
  const std::int64_t steps = spec.steps.value_or(
      spec.loss == FitLoss::l2 ? kDefaultGradientSteps : kDefaultMaximisingSteps);
  return in_turn(scale.density,
                 {offer.seconds.start + static_cast<double>(steps) * offer.seconds.run,
                  offer.host.bytes(0, count, cells) + cells * sizeof(double), kFileBytes * count,
                  device == Device::cuda});
}

}  // namespace skde::cli

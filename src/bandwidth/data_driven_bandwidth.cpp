#include "bandwidth/data_driven_bandwidth.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <future>
#include <numbers>

#include "bandwidth/automatic_bandwidth.hpp"
#include "bandwidth/data_driven_warnings.hpp"
#include "bandwidth/pair_source.hpp"
#include "bandwidth/sample_choice.hpp"
#include "bandwidth/sharpened_score.hpp"
#include "core/kernel/kernel_profiles.hpp"
#include "core/report/thread_room.hpp"
#include "engines/cpu/kernel_points.hpp"
#include "engines/cpu/ranges/round_space.hpp"
#include "engines/registry/pair_pass.hpp"

namespace skde {
namespace {

/// Exponent p in h ~ n^-p of densities that are not sharpened.
constexpr double kPlainExponent = 1.0 / 7;
/// Host memory per sample: its copy sorted by neighbours, its place, weight, channel and two sums.
constexpr double kPairSampleBytes = KernelPoints::kBytes + 7 * sizeof(double);

BandwidthRule rule_of(const DataDrivenSpec& spec) {
  return std::get<BandwidthRule>(spec.bandwidth.bandwidth);
}

/// Returns whether the rule has a score of its own for sharpened densities.
bool scores_sharpened(BandwidthRule rule) { return rule == BandwidthRule::lscv; }

/// Returns the kernel whose score is used. Bandwidths for other kernels are scaled to the same
/// smoothness (Marron and Nolan 1988). This is needed for likelihoods of compact kernels, which the
/// sample furthest from all others bounds; for the uniform kernel, whose score jumps; and for
/// kernels with unknown convolution.
KernelFunction judge_of(const DataDrivenSpec& spec) {
  if (spec.sharpen || rule_of(spec) == BandwidthRule::lcv) return KernelFunction::gaussian;
  const bool scores_itself = spec.kernel->convolution && spec.kernel->degree != 0;
  if (rule_of(spec) != BandwidthRule::lscv || scores_itself) return spec.kernel;
  return spec.kernel->is_bounded() ? KernelFunction::epanechnikov : KernelFunction::gaussian;
}

/// Predicts the seconds of the search on these threads, from runs on AVX-512 cores. The first stage
/// judges by all pairs of up to 1e5 samples.
double expected_seconds(const ScoredSamples& cloud, const DataDrivenSpec& spec) {
  const auto n = static_cast<double>(cloud.samples.size());
  const double alone = [&] {
    if (spec.sharpen) return 5e-8 * std::pow(std::min<double>(n, kMostSharpened), 2);
    if (rule_of(spec) == BandwidthRule::automatic) return std::min(2e-9 * n * n, 0.4);
    if (rule_of(spec) == BandwidthRule::plug_in) return 0.4 + 3e-6 * n;
    if (!cloud.kernel->is_bounded()) return std::min(4e-8 * n * n, 8.0) + 1e-6 * n;
    return std::min(2e-10 * n * n, 1.5) + 4e-6 * n;
  }();
  return alone / thread_count(cloud.threads);
}

Bandwidth with_h(const Moments& moments, const DataDrivenSpec& spec, double h) {
  BandwidthSpec given = spec.bandwidth;
  given.bandwidth = h;
  Bandwidth bandwidth = select_bandwidth(moments, given, spec.kernel);
  bandwidth.source = word_of(kBandwidthRules, rule_of(spec));
  return bandwidth;
}

/// Throws because the least-squares score has no meaningful minimum.
[[noreturn]] void throw_falling(const ScoredSamples& cloud, const DataDrivenSpec& spec,
                                double least) {
  const double repeated = repeated_samples(cloud).share;
  const std::string why =
      repeated > 0 ? fmt::format(": {:.3g} % of the weight lies at the position of another sample",
                                 100 * repeated)
                   : "";
  throw Error(
      ErrorKind::input,
      fmt::format("{} finds no bandwidth, because its score keeps falling down to h = {:.3g}{}",
                  word_of(kBandwidthRules, rule_of(spec)), least * cloud.factor, why),
      {"bandwidth",
       fmt::format("{}use {}`bandwidth=silverman`",
                   repeated > 0 ? "give each position once, with its count as a weight, or " : "",
                   spec.sharpen ? "" : "`bandwidth=plug-in` or ")});
}

void warn_of_repeated(const ScoredSamples& cloud, const SearchResult& found,
                      std::vector<Warning>& warnings) {
  constexpr std::size_t kSoonLooked = 1000000;
  if (cloud.samples.size() > kSoonLooked && !found.falls_to_lower_end) return;
  const RepeatedSamples repeated = repeated_samples(cloud);
  if (repeated.limit > 0) return;
  warnings.push_back(
      {"repeated_samples",
       fmt::format(
           "{:.3g} % of the weight lies at the position of another sample, so the least-squares "
           "score falls without limit toward h = 0; h = {:.4g} is a local minimum",
           100 * repeated.share, found.least->h * cloud.factor),
       {"bandwidth", "compare it with `bandwidth=plug-in`"}});
}

/// The range of the curve, around an h near the lowest score.
struct Around {
  double h = 0;
  double below = 3, above = 1.3;  // factors
  double ratio = 2;               // largest ratio of neighbours on the curve
  double enough_below = 1.6;      // for likelihoods, which fall ever faster
  std::size_t near = 2;
};

SearchSpec search_spec(const Around& around, const DataDrivenEffort& effort) {
  if (effort.lower && effort.upper)
    return {*effort.lower / effort.factor, *effort.upper / effort.factor, effort.ratio, 1};
  return {around.h / around.below, around.h * around.above, std::min(around.ratio, effort.ratio)};
}

/// Returns where the lowest score is. For many samples, a subset is searched first, so that the
/// curve of all samples can be short.
Around around_of(const ScoredSamples& cloud, const Moments& moments, const DataDrivenSpec& spec,
                 const DataDrivenEffort& effort, Progress& progress) {
  constexpr std::uint64_t kLeast = 100000, kMost = 1000000, kShare = 20, kSeed = 1;
  if (cloud.samples.size() < 4 * kLeast || effort.lower) return {cloud.reference};
  const ChosenSamples some =
      choose_some(cloud.samples, moments, spec.bandwidth,
                  std::clamp<std::uint64_t>(cloud.samples.size() / kShare, kLeast, kMost), kSeed);
  DataDrivenEffort first = effort;
  first.factor = some.factor;
  const bool likelihood = rule_of(spec) == BandwidthRule::lcv;
  if (likelihood) first.ratio = std::max(first.ratio, 1.25);
  first.roughly = likelihood;
  try {
    const double h = data_driven_bandwidth(some.samples, some.moments,
                                           {some.bandwidth, spec.kernel}, first, progress)
                         .best.h;
    // The h of likelihoods varies less between clouds, and this guess is rather too wide.
    if (likelihood) return {h, 1.08 * 1.08, 1, 1.08, 1.6, 1};
    return {h, 1.2, 1.15, 1.06};
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input) throw;
    return {cloud.reference};
  }
}

/// Counts the scored bandwidths. How many there will be is not known: the search refines its curve.
class ScoreProgress {
 public:
  ScoreProgress(Progress& progress, const SearchSpec& range) : progress_(progress) {
    constexpr double kRefinements = 6;  // usual number
    total_ = static_cast<std::uint64_t>(
        std::ceil(std::log(range.upper / range.lower) / std::log(range.ratio)) + kRefinements);
    progress_.begin("score bandwidths", total_, "bandwidths");
  }
  double counted(double score) {
    progress_.update(std::min(++done_, total_));
    return score;
  }

 private:
  Progress& progress_;
  std::uint64_t total_ = 0, done_ = 0;
};

DataDrivenBandwidth by_score(ScoredSamples cloud, const Moments& moments,
                             const DataDrivenSpec& spec, const DataDrivenEffort& effort,
                             Progress& progress) {
  const bool least_squares = rule_of(spec) == BandwidthRule::lscv;
  const Around around = around_of(cloud, moments, spec, effort, progress);
  SearchSpec range = search_spec(around, effort);
  const double factor = spec.kernel->scott / cloud.kernel->scott;
  cloud.finest = range.lower / factor;
  cloud.widest = range.upper / factor;
  if (!least_squares && !effort.lower) {
    range.enough_below = effort.roughly ? 1.2 : around.enough_below;
    range.near = effort.roughly ? 1 : around.near;
    if (effort.roughly) range.same = 0.01;
  }
  const Box box = spec.box.value_or(moments.bounds());
  const auto score = spec.sharpen    ? sharpened_score(cloud, spec.boundaries, box)
                     : least_squares ? least_squares_score(cloud)
                                     : likelihood_score(cloud);
  ScoreProgress shown(progress, range);
  const SearchResult found = search_bandwidth(
      [&](double h) { return shown.counted(score->at(h / factor, progress)); }, range);
  if (!found.least) {
    const ScoredBandwidth& low = found.curve.front();
    if (effort.lower) throw_without_minimum(effort);
    throw_falling(cloud, spec, low.h);
  }
  DataDrivenBandwidth result;
  result.best = *found.least;
  result.curve = found.curve;
  if (least_squares) warn_of_repeated(cloud, found, result.warnings);
  if (!effort.roughly) result.lonely = score->lonely_samples(result.best.h / factor, progress);
  result.bandwidth = with_h(moments, spec, result.best.h);
  return result;
}

DataDrivenBandwidth by_plug_in(const ScoredSamples& cloud, const Moments& moments,
                               const DataDrivenSpec& spec, const DataDrivenEffort& effort,
                               Progress& progress) {
  BandwidthSpec samples_own = spec.bandwidth;  // a given matrix may differ from the cloud's
  samples_own.covariance.reset();
  const PlugIn plug_in =
      plug_in_bandwidth(cloud, moments, spread_of(moments, samples_own), progress);
  const double n = moments.effective_samples();
  const SearchSpec range = search_spec({cloud.reference}, effort);
  const double lower = std::min(range.lower, plug_in.h / effort.ratio),
               upper = std::max(range.upper, plug_in.h * effort.ratio);
  DataDrivenBandwidth result;
  result.best = {plug_in.h, asymptotic_error(plug_in, cloud, n, plug_in.h)};
  result.curve.push_back(result.best);
  const int steps = static_cast<int>(std::ceil(std::log(upper / lower) / std::log(effort.ratio)));
  for (int i = 0; i <= steps; ++i) {
    const double h = lower * std::pow(upper / lower, static_cast<double>(i) / steps);
    result.curve.push_back({h, asymptotic_error(plug_in, cloud, n, h)});
  }
  std::ranges::sort(result.curve, {}, &ScoredBandwidth::h);
  result.bandwidth = with_h(moments, spec, plug_in.h);
  return result;
}

}  // namespace

void throw_without_minimum(const DataDrivenEffort& effort) {
  throw Error(ErrorKind::input,
              fmt::format("the score has no minimum between h = {:.4g} and {:.4g}", *effort.lower,
                          *effort.upper),
              {"range", "give a wider `range`, or leave it out"});
}

bool is_data_driven(const BandwidthSpec& spec) {
  const auto* rule = std::get_if<BandwidthRule>(&spec.bandwidth);
  return rule && is_data_driven(*rule);
}

bool is_automatic(const BandwidthSpec& spec) {
  const auto* rule = std::get_if<BandwidthRule>(&spec.bandwidth);
  return rule && *rule == BandwidthRule::automatic;
}

bool sums_pairs(const DataDrivenSpec& spec) {
  return is_data_driven(spec.bandwidth) && rule_of(spec) == BandwidthRule::lscv && !spec.sharpen &&
         judge_of(spec)->is_bounded();
}

std::future<void> start_for_pairs(const DataDrivenSpec& spec, std::uint64_t bytes, int device) {
  constexpr std::uint64_t kMany = 4'000'000;  // the pairs of fewer take no longer
  if (!sums_pairs(spec) || bytes < kMany) return {};
  return start_pair_device(device);
}

bool is_scored(const BandwidthSpec& spec) { return is_automatic(spec) || is_data_driven(spec); }

ScoredSamples scored_samples(const SamplesView& samples, const Moments& moments,
                             const DataDrivenSpec& spec, const DataDrivenEffort& effort) {
  if (samples.shaped())
    throw Error(
        ErrorKind::usage,
        "the samples have per-sample bandwidths, and no rule can score a common bandwidth for them",
        {"bandwidth", "use another `bandwidth`, or leave out `widths`"});
  if (spec.sharpen && !scores_sharpened(rule_of(spec)))
    throw Error(ErrorKind::usage,
                fmt::format("{} chooses h for a density that is not sharpened",
                            word_of(kBandwidthRules, rule_of(spec))),
                {"bandwidth", "use `bandwidth=lscv`, which scores the sharpened density"});
  ScoredSamples cloud{
      samples,       {},         judge_of(spec),   1, 0, 0, effort.most_bytes, effort.threads,
      effort.factor, effort.gpu, effort.gpu_starts};
  BandwidthSpec known = spec.bandwidth;
  known.bandwidth = BandwidthRule::silverman;
  cloud.reference = select_bandwidth(moments, known, spec.kernel).h;
  known.bandwidth = 1.0;
  cloud.S = select_bandwidth(moments, known, spec.kernel).H;
  const double needed = kPairSampleBytes * static_cast<double>(samples.size());
  if (needed > effort.most_bytes)
    throw Error(
        ErrorKind::resources,
        fmt::format("ordering the samples by their neighbours needs {}", format_bytes(needed)),
        {"memory_limit", fmt::format("raise `memory_limit` to {} or more, or use "
                                     "`bandwidth=silverman`",
                                     format_bytes(needed))});
  return cloud;
}

WorkForecast data_driven_forecast(const SamplesView& samples, const Moments& moments,
                                  const DataDrivenSpec& spec, const DataDrivenEffort& effort) {
  return {.seconds = expected_seconds(scored_samples(samples, moments, spec, effort), spec),
          .host_bytes = kPairSampleBytes * static_cast<double>(samples.size())};
}

DataDrivenBandwidth data_driven_bandwidth(const SamplesView& samples, const Moments& moments,
                                          const DataDrivenSpec& spec,
                                          const DataDrivenEffort& effort, Progress& progress) {
  if (is_automatic(spec.bandwidth)) return automatic_bandwidth(moments, spec, effort, progress);
  const std::uint64_t most = has_boundary(spec.boundaries) ? kMostSharpenedInBox : kMostSharpened;
  if (spec.sharpen && samples.size() > most) {
    constexpr std::uint64_t kSeed = 1;
    const ChosenSamples some =
        chosen_samples(choose_by_value(samples, most, kSeed), moments, spec.bandwidth);
    DataDrivenEffort of_some = effort;
    of_some.factor *= some.factor;
    return data_driven_bandwidth(
        some.samples, some.moments,
        {some.bandwidth, spec.kernel, true, spec.boundaries, spec.box.value_or(moments.bounds())},
        of_some, progress);
  }
  DataDrivenEffort scaled = effort;
  if (spec.sharpen) scaled.factor = std::pow(effort.factor, kSharpenedExponent / kPlainExponent);
  const ScoredSamples cloud = scored_samples(samples, moments, spec, scaled);
  DataDrivenBandwidth result = rule_of(spec) == BandwidthRule::plug_in
                                   ? by_plug_in(cloud, moments, spec, scaled, progress)
                                   : by_score(cloud, moments, spec, scaled, progress);
  result.reference = cloud.reference * effort.factor;
  result.best.h *= scaled.factor;
  for (ScoredBandwidth& point : result.curve) point.h *= scaled.factor;
  if (scaled.factor != 1) result.bandwidth = with_h(moments, spec, result.best.h);
  if (cloud.kernel != spec.kernel) result.bandwidth.judge = cloud.kernel->name;
  const JudgedBandwidth judged{word_of(kBandwidthRules, rule_of(spec)), result.best.h,
                               result.reference, spec.kernel, result.lonely};
  for (Warning& warning : data_driven_warnings(cloud, judged))
    result.warnings.push_back(std::move(warning));
  return result;
}

std::optional<Bandwidth> data_driven_where_asked(const SamplesView& samples, const Moments& moments,
                                                 const DataDrivenSpec& spec,
                                                 const DataDrivenEffort& effort,
                                                 Progress& progress) {
  if (!is_scored(spec.bandwidth) || samples.shaped()) return std::nullopt;
  return data_driven_bandwidth(samples, moments, spec, effort, progress).bandwidth;
}

namespace {

/// Returns the cloud's covariance in the space in which S is the unit matrix.
Symmetric3 covariance_in(const Symmetric3& S, const Symmetric3& covariance) {
  const RoundSpace space(S, {});
  const Vec3 columns[3] = {space({1, 0, 0}), space({0, 1, 0}), space({0, 0, 1})};
  const auto entry = [&](int a, int b) {
    double sum = 0;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) sum += columns[i][a] * covariance(i, j) * columns[j][b];
    return sum;
  };
  return {entry(0, 0), entry(0, 1), entry(0, 2), entry(1, 1), entry(1, 2), entry(2, 2)};
}

/// Returns the integral of f lap^4 f for a normal density. Over frequencies it is the integral of
/// |k|^8 exp(-k^T C k) / (2 pi)^3, a moment of a quadratic form of normal variables.
double normal_curvature(const Symmetric3& covariance) {
  double determinant = 1, power_sums[5] = {};
  for (const double value : eigen_decomposition(covariance).values) {
    determinant *= value;
    for (int s = 1; s <= 4; ++s) power_sums[s] += std::pow(1 / (2 * value), s);
  }
  const double k1 = power_sums[1], k2 = 2 * power_sums[2], k3 = 8 * power_sums[3],
               k4 = 48 * power_sums[4];  // cumulants
  const double moment = k4 + 4 * k3 * k1 + 3 * k2 * k2 + 6 * k2 * k1 * k1 + k1 * k1 * k1 * k1;
  return moment / std::sqrt(std::pow(4 * std::numbers::pi, 3) * determinant);
}

double require_positive(double value) {
  if (value > 0 && std::isfinite(value)) return value;
  throw Error(ErrorKind::input, "the plug-in rule finds no curvature of the density",
              {"bandwidth", "use `bandwidth=lcv` or `bandwidth=silverman`"});
}

}  // namespace

PlugIn plug_in_bandwidth(const ScoredSamples& cloud, const Moments& moments,
                         const Symmetric3& spread, Progress& progress) {
  const double n = moments.effective_samples(), height = GaussianProfile::kConstant;
  PairSource pairs(cloud);
  PlugIn result;
  const double eighth = normal_curvature(covariance_in(cloud.S, spread));
  result.outer_pilot = std::pow(2 * 105 * height / (n * require_positive(eighth)), 1.0 / 11);
  const double sixth = require_positive(pairs.laplacian(3, result.outer_pilot, progress));
  result.pilot = std::pow(2 * 15 * height / (n * sixth), 1.0 / 9);
  result.curvature = require_positive(pairs.laplacian(2, result.pilot, progress));
  const double variance = cloud.kernel->variance;
  result.h =
      std::pow(3 * cloud.kernel->roughness / (variance * variance * result.curvature * n), 1.0 / 7);
  return result;
}

double asymptotic_error(const PlugIn& plug_in, const ScoredSamples& cloud, double n_eff, double h) {
  const double spread = h * h * cloud.kernel->variance;
  return (cloud.kernel->roughness / (n_eff * h * h * h) +
          0.25 * spread * spread * plug_in.curvature) /
         RoundSpace(cloud.S, {}).volume();
}

}  // namespace skde

#include "estimate/evidence_bandwidth.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/host_memory.hpp"
#include "engines/cpu/cloud_pairs.hpp"
#include "estimate/plug_in_bandwidth.hpp"

namespace skde {
namespace {

BandwidthRule rule_of(const EvidenceSpec& spec) {
  return std::get<BandwidthRule>(spec.bandwidth.bandwidth);
}

Bandwidth with_h(const Moments& moments, const EvidenceSpec& spec, double h) {
  BandwidthSpec given = spec.bandwidth;
  given.bandwidth = h;
  Bandwidth bandwidth = select_bandwidth(moments, given, spec.kernel);
  bandwidth.source = word_of(kBandwidthRules, rule_of(spec));
  return bandwidth;
}

/// Where the least-squares score has no least value that means anything.
[[noreturn]] void throw_falling(const EvidenceCloud& cloud, const EvidenceSpec& spec, double least,
                                Progress& progress) {
  const double repeated = repeated_samples(cloud, progress).share;
  const std::string why =
      repeated > 0 ? fmt::format(": {:.3g} % of the weight lies at the place of another sample",
                                 100 * repeated)
                   : "";
  throw Error(
      ErrorKind::input,
      fmt::format("{} finds no bandwidth, as its score falls down to h = {:.3g}{}",
                  word_of(kBandwidthRules, rule_of(spec)), least, why),
      {"bandwidth", repeated > 0 ? "give each place once, with its count as a weight, or use "
                                   "`bandwidth=plug-in` or `bandwidth=silverman`"
                                 : "use `bandwidth=plug-in` or `bandwidth=silverman`"});
}

void warn_of_repeated(const EvidenceCloud& cloud, const SearchResult& found, Progress& progress,
                      std::vector<Warning>& warnings) {
  constexpr std::size_t kSoonLooked = 1000000;
  if (cloud.samples.size() > kSoonLooked && !found.falls_to_lower_end) return;
  const RepeatedSamples repeated = repeated_samples(cloud, progress);
  if (repeated.limit > 0) return;
  warnings.push_back(
      {"repeated_samples",
       fmt::format("{:.3g} % of the weight lies at the place of another sample, so that the "
                   "least-squares score falls for ever toward h = 0; h = {:.4g} is its least value "
                   "between higher ones",
                   100 * repeated.share, found.least->h),
       {"bandwidth", "compare it with `bandwidth=plug-in`"}});
}

SearchSpec search_spec(const EvidenceCloud& cloud, const EvidenceEffort& effort) {
  constexpr double kBelow = 3, kAbove = 1.3;
  if (effort.lower && effort.upper) return {*effort.lower, *effort.upper, effort.ratio, 1};
  return {cloud.reference / kBelow, cloud.reference * kAbove, effort.ratio};
}

EvidenceBandwidth by_score(const EvidenceCloud& cloud, const Moments& moments,
                           const EvidenceSpec& spec, const EvidenceEffort& effort,
                           Progress& progress) {
  const bool least_squares = rule_of(spec) == BandwidthRule::lscv;
  const auto score = least_squares ? least_squares_score(cloud) : likelihood_score(cloud);
  const SearchResult found = search_bandwidth([&](double h) { return score->at(h, progress); },
                                              search_spec(cloud, effort));
  if (!found.least) {
    const ScoredBandwidth& low = found.curve.front();
    const ScoredBandwidth& high = found.curve.back();
    if (effort.lower)
      throw Error(
          ErrorKind::input,
          fmt::format("the score has no least value between h = {:.4g} and {:.4g}", low.h, high.h),
          {"range", "give a wider `range`, or leave it out"});
    throw_falling(cloud, spec, low.h, progress);
  }
  EvidenceBandwidth result;
  result.best = *found.least;
  result.curve = found.curve;
  if (least_squares) warn_of_repeated(cloud, found, progress, result.warnings);
  result.bandwidth = with_h(moments, spec, result.best.h);
  return result;
}

EvidenceBandwidth by_plug_in(const EvidenceCloud& cloud, const Moments& moments,
                             const EvidenceSpec& spec, const EvidenceEffort& effort,
                             Progress& progress) {
  const PlugIn plug_in = plug_in_bandwidth(cloud, moments, progress);
  const double n = moments.effective_samples();
  const SearchSpec range = search_spec(cloud, effort);
  const double lower = std::min(range.lower, plug_in.h / effort.ratio),
               upper = std::max(range.upper, plug_in.h * effort.ratio);
  EvidenceBandwidth result;
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

bool goes_by_evidence(const BandwidthSpec& spec) {
  const auto* rule = std::get_if<BandwidthRule>(&spec.bandwidth);
  return rule && is_by_evidence(*rule);
}

EvidenceCloud evidence_cloud(const SamplesView& samples, const Moments& moments,
                             const EvidenceSpec& spec, const EvidenceEffort& effort) {
  if (samples.shaped())
    throw Error(ErrorKind::usage,
                "samples have widths of their own, of which no rule judges one bandwidth for all",
                {"bandwidth", "use another `bandwidth`, or leave out the `widths`"});
  EvidenceCloud cloud{samples, {}, spec.kernel, 1, effort.most_bytes, effort.threads};
  BandwidthSpec known = spec.bandwidth;
  known.bandwidth = BandwidthRule::silverman;
  cloud.reference = select_bandwidth(moments, known, spec.kernel).h;
  known.bandwidth = 1.0;
  cloud.S = select_bandwidth(moments, known, spec.kernel).H;
  const double needed = CloudPairs::kSampleBytes * static_cast<double>(samples.size());
  if (needed > effort.most_bytes)
    throw Error(
        ErrorKind::resources,
        fmt::format("the samples in the order of their neighbours take {}", format_bytes(needed)),
        {"memory_limit", fmt::format("raise `memory_limit` to {} or more, or use "
                                     "`bandwidth=silverman`",
                                     format_bytes(needed))});
  return cloud;
}

EvidenceBandwidth evidence_bandwidth(const SamplesView& samples, const Moments& moments,
                                     const EvidenceSpec& spec, const EvidenceEffort& effort,
                                     Progress& progress) {
  const EvidenceCloud cloud = evidence_cloud(samples, moments, spec, effort);
  EvidenceBandwidth result = rule_of(spec) == BandwidthRule::plug_in
                                 ? by_plug_in(cloud, moments, spec, effort, progress)
                                 : by_score(cloud, moments, spec, effort, progress);
  result.reference = cloud.reference;
  return result;
}

std::optional<Bandwidth> evidence_for_request(const SamplesView& samples, const Moments& moments,
                                              const DensityRequest& request, double most_bytes,
                                              Progress& progress) {
  if (!goes_by_evidence(request.bandwidth) || samples.shaped()) return std::nullopt;
  EvidenceEffort effort;
  effort.threads = request.options.threads;
  effort.most_bytes = most_bytes;
  return evidence_bandwidth(samples, moments, {request.bandwidth, request.kernel}, effort, progress)
      .bandwidth;
}

}  // namespace skde

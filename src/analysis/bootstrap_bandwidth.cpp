#include "analysis/bootstrap_bandwidth.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "core/cloud/counter_random.hpp"
#include "core/cloud/moments.hpp"
#include "engines/value_buffer.hpp"
#include "estimate/session.hpp"
#include "estimate/values/buffer_pool.hpp"
#include "estimate/values/density_facts.hpp"

namespace skde {
namespace {

/// Number of bandwidths that are compared by default.
constexpr int kWidths = 11;

/// Returns the Cholesky factor L with L L^T = H, row by row.
std::array<Vec3, 3> root_of(const Symmetric3& H) {
  const double a = std::sqrt(H.xx), b = H.xy / a, c = H.xz / a;
  const double d = std::sqrt(H.yy - b * b), e = (H.yz - b * c) / d;
  return {Vec3{a, 0, 0}, Vec3{b, d, 0}, Vec3{c, e, std::sqrt(H.zz - c * c - e * e)}};
}

Percentiles percentiles_of(std::vector<double> values) {
  std::ranges::sort(values);
  const auto at = [&](double share) {
    return values[static_cast<std::size_t>(share * static_cast<double>(values.size()))];
  };
  double sum = 0;
  for (const double value : values) sum += value;
  return {values.front(), at(0.025),     at(0.5),
          at(0.975),      values.back(), sum / static_cast<double>(values.size())};
}

struct Differences {
  double largest = 0, mean_absolute = 0, squared = 0;
};

Differences differences(std::span<const double> one, std::span<const double> other,
                        double cell_volume) {
  Differences d;
  for (std::size_t i = 0; i < one.size(); ++i) {
    const double off = std::abs(one[i] - other[i]);
    d.largest = std::max(d.largest, off);
    d.mean_absolute += off;
    d.squared += off * off;
  }
  d.mean_absolute /= static_cast<double>(one.size());
  d.squared *= cell_volume;
  return d;
}

/// The differences of all realisations at one h.
struct Measured {
  std::vector<double> largest, mean_absolute, squared;

  void add(const Differences& d) {
    largest.push_back(d.largest);
    mean_absolute.push_back(d.mean_absolute);
    squared.push_back(d.squared);
  }
};

std::vector<double> values_of(Density& density) {
  std::vector<double> values;
  const Volume volume = density.values()->take_volume();
  std::visit([&](auto span) { values.assign(span.begin(), span.end()); }, volume.value_span());
  return values;
}

std::vector<double> widths_of(const BootstrapSpec& spec, double reference) {
  std::vector<double> widths;
  for (const double h : spec.widths) widths.push_back(h / spec.factor);
  if (!widths.empty()) return widths;
  for (int i = 0; i < kWidths; ++i) widths.push_back((0.8 + 0.04 * i) * reference);
  return widths;
}

}  // namespace

Samples draw_realization(const SamplesView& samples, KernelFunction kernel, const Symmetric3& H,
                         const Moments& moments, std::uint64_t seed, std::uint64_t index) {
  const CounterRandom random(seed, index);
  const std::array<Vec3, 3> root = root_of(H);
  const Vec3 mean = moments.mean();
  const double shrunk =
      1 / std::sqrt(1 + kernel->variance * H.trace() / moments.covariance().trace());
  Samples drawn;
  drawn.xyz.resize(3 * samples.size());
  if (samples.weighted()) drawn.weights.resize(samples.size());
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < samples.size(); ++i) {
    Draws draws = random.at(i);
    const auto from =
        static_cast<std::size_t>(draws.uniform() * static_cast<double>(samples.size()));
    const Vec3 u = kernel->draw(draws), off = samples.point(from) - mean;
    for (int a = 0; a < 3; ++a) {
      const Vec3& row = root[static_cast<std::size_t>(a)];
      drawn.xyz[3 * i + static_cast<std::size_t>(a)] =
          mean[a] + shrunk * (off[a] + row.x * u.x + row.y * u.y + row.z * u.z);
    }
    if (samples.weighted()) drawn.weights[i] = samples.weight(from);
  }
  return drawn;
}

namespace {

Session open_unshaped(const SamplesView& samples) {
  if (samples.shaped())
    throw Error(ErrorKind::usage,
                "the samples have per-sample bandwidths, so there is no common bandwidth to choose",
                {"bandwidth", "leave out `widths`"});
  Session session;
  session.open(samples);
  return session;
}

}  // namespace

WorkForecast bootstrap_forecast(const SamplesView& samples, const BootstrapSpec& spec,
                                Progress& progress) {
  const double compared = spec.widths.empty() ? kWidths : static_cast<double>(spec.widths.size());
  const DensityPlan plan = open_unshaped(samples).plan(spec.request, progress);
  plan.require_runnable();
  return repeated(plan.forecast, 1 + compared * static_cast<double>(spec.realizations), 0);
}

BootstrapResult bootstrap_bandwidth(const SamplesView& samples, const BootstrapSpec& spec,
                                    Progress& progress) {
  Session session = open_unshaped(samples);
  Density reference = session.compute(spec.request, progress);
  BootstrapResult result;
  result.reference = reference.facts().bandwidth;
  result.grid = reference.facts().grid;
  if (!(result.reference.h > 0))
    throw Error(ErrorKind::usage,
                "bootstrap needs one length h, but a matrix or three lengths are given",
                {"bandwidth", "give a rule or one number"});
  const std::vector<double> expected = values_of(reference);
  const Moments moments = reference.facts().moments;
  const std::vector<double> widths = widths_of(spec, result.reference.h);
  DensityRequest request = spec.request;
  request.like = result.grid;
  request.grid = {};
  std::vector<Measured> measured(widths.size());
  const auto bandwidth_at = [&](double h) {
    BandwidthSpec given = spec.request.bandwidth;
    given.bandwidth = h;
    return select_bandwidth(moments, given, spec.request.kernel);
  };
  progress.begin("bootstrap", spec.realizations, "realisations");
  SilentProgress within(progress);
  for (std::size_t r = 0; r < spec.realizations; ++r) {
    session.open(
        draw_realization(samples, spec.request.kernel, result.reference.H, moments, spec.seed, r));
    for (std::size_t i = 0; i < widths.size(); ++i) {
      request.bandwidth.bandwidth = bandwidth_at(widths[i]).H;
      Density density = session.compute(request, within);
      measured[i].add(differences(values_of(density), expected, result.grid.cell_volume()));
    }
    progress.update(r + 1);
  }
  for (std::size_t i = 0; i < widths.size(); ++i)
    result.rows.push_back({widths[i] * spec.factor, percentiles_of(measured[i].largest),
                           percentiles_of(measured[i].mean_absolute),
                           percentiles_of(measured[i].squared)});
  std::ranges::sort(result.rows, {}, &BootstrapRow::h);
  const auto best = std::ranges::min_element(
      result.rows, {}, [](const BootstrapRow& row) { return row.squared.mean; });
  result.best = bandwidth_at(best->h);
  result.best.source = "bootstrap";
  result.reference.h *= spec.factor;
  result.reference.H = (spec.factor * spec.factor) * result.reference.H;
  if (result.rows.size() > 1 && (best == result.rows.begin() || best + 1 == result.rows.end()))
    result.warnings.push_back(
        {"least_at_end",
         fmt::format("the squared error is least at h = {:.4g}, an end of the compared range",
                     best->h),
         {"range", "give a wider `range`"}});
  return result;
}

}  // namespace skde

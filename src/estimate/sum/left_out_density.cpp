#include "estimate/sum/left_out_density.hpp"

#include <algorithm>
#include <optional>

#include "engines/cpu/ranges/range_reduction.hpp"
#include "engines/registry/point_gradients.hpp"

namespace skde {
namespace {

/// Returns sums over a sample's own kernel and those of its images, at the sample's place. `reduce`
/// gets blocks that each see one kernel only, and makes `results` values of each.
template <class Reduce>
std::vector<double> own_sums(const PointSetup& setup, int threads, std::size_t results,
                             const Reduce& reduce) {
  std::vector<double> own(setup.cloud->points.size() * results, 0.0);
  for_each_kernel(setup, [&](const Kernel& kernel, const SamplesView& samples, const auto& index) {
    BlockRanges pairs(samples.size());
    std::vector<double> places(3 * samples.size());
    for (std::size_t i = 0; i < samples.size(); ++i) {
      pairs[i] = {{i, i + 1}, {{i, i + 1}}};
      for (std::size_t a = 0; a < 3; ++a) places[3 * i + a] = setup.places[3 * index(i) + a];
    }
    const RangeReduction alone(kernel, samples, std::move(pairs), threads);
    const std::vector<double> sums = reduce(alone, places, weights_of(samples));
    for (std::size_t i = 0; i < sums.size(); ++i)
      own[results * index(i / results) + i % results] += sums[i];
  });
  return own;
}

/// Returns what each sample adds to the density at its own place.
std::vector<double> own_parts(const PointSetup& setup, int threads) {
  const SamplesView& points = setup.cloud->points;
  if (!setup.images && !points.shaped()) {
    const Kernel& kernel = setup.box.kernel;
    const double height = kernel.amplitude() * with_profile(kernel, [](const auto& profile) {
                            return profile.value(0.0);
                          });
    std::vector<double> own = weights_of(points);
    for (double& part : own) part *= height;
    return own;
  }
  return own_sums(setup, threads, 1,
                  [](const RangeReduction& alone, const auto& places, const auto& weights) {
                    NoProgress silent;
                    return alone.reduce(places, weights, 1, silent);
                  });
}

/// Returns the same for the gradient: a kernel is flat at its own place, but its images are not.
std::vector<double> own_gradients(const PointSetup& setup, int threads) {
  return own_sums(setup, threads, 3,
                  [](const RangeReduction& alone, const auto& places, const auto& weights) {
                    NoProgress silent;
                    return alone.gradients(places, weights, silent);
                  });
}

/// Returns samples so heavy that the sum of all others is lost in rounding beside them; at most a
/// thousand.
std::vector<std::size_t> heavy_samples(const PointSetup& setup) {
  constexpr double kMost = 1000;
  const SamplesView& points = setup.cloud->points;
  const double mean = setup.plan.moments.total_weight() / static_cast<double>(points.size());
  const double heavy = mean * std::max(1.0, static_cast<double>(points.size()) / kMost);
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (points.weight(i) > heavy) found.push_back(i);
  return found;
}

/// Returns the sums of all other samples at these samples. Their own kernels are left out from the
/// start, not subtracted afterwards.
std::vector<double> sums_of_others(const PointSetup& setup, std::span<const std::size_t> samples_at,
                                   int threads, Progress& progress) {
  std::vector<double> sums(samples_at.size(), 0.0);
  std::vector<double> places;
  for (const std::size_t i : samples_at)
    places.insert(places.end(), &setup.places[3 * i], &setup.places[3 * i] + 3);
  for_each_kernel(setup, [&](const Kernel& kernel, const SamplesView& samples, const auto& index) {
    BlockRanges pairs(samples_at.size());
    for (std::size_t n = 0; n < samples_at.size(); ++n) {
      pairs[n].targets = {n, n + 1};
      // The images of a sample are consecutive.
      std::size_t begin = 0;
      while (begin < samples.size() && index(begin) < samples_at[n]) ++begin;
      std::size_t end = begin;
      while (end < samples.size() && index(end) == samples_at[n]) ++end;
      pairs[n].sources = {{0, begin}, {end, samples.size()}};
    }
    const std::vector<double> more = RangeReduction(kernel, samples, std::move(pairs), threads)
                                         .reduce(places, weights_of(samples), 1, progress);
    for (std::size_t n = 0; n < sums.size(); ++n) sums[n] += more[n];
  });
  return sums;
}

}  // namespace

std::vector<double> weights_of_others(const PointSetup& setup) {
  std::vector<double> weights(setup.cloud->points.size());
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = weight_of_others(setup, i);
  return weights;
}

std::vector<double> sums_of_all(const PointSetup& setup, int threads, Progress& progress) {
  std::vector<double> values(setup.cloud->points.size(), 0.0);
  for_each_kernel(setup, [&](const Kernel& kernel, const SamplesView& samples, const auto&) {
    const std::vector<double> sums = RangeReduction(kernel, samples, threads)
                                         .reduce(setup.places, weights_of(samples), 1, progress);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] += sums[i];
  });
  return values;
}

std::vector<double> left_out_values(const PointSetup& setup, std::vector<double> values,
                                    int threads, Progress& progress) {
  const SamplesView& points = setup.cloud->points;
  const std::vector<double> own = own_parts(setup, threads);
  const double whole = setup.plan.moments.total_weight();
  const bool divided = setup.plan.device != Device::cpu;  // by W
  // A smaller remainder is only the rounding of the sum.
  const double scale = divided ? whole : 1, rounding = divided ? 4e-15 : 1e-15;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double left = scale * values[i] - own[i];
    values[i] = left > rounding * own[i] ? left / (whole - points.weight(i)) : 0;
  }
  const std::vector<std::size_t> heavy = heavy_samples(setup);
  if (heavy.empty()) return values;
  const std::vector<double> others = sums_of_others(setup, heavy, threads, progress);
  for (std::size_t n = 0; n < heavy.size(); ++n)
    values[heavy[n]] = others[n] / weight_of_others(setup, heavy[n]);
  return values;
}

std::vector<double> gradients_at(const PointSetup& setup, const DensityRequest& request,
                                 bool leave_one_out, Progress& progress) {
  const int threads = request.options.threads;
  const bool on_gpu = setup.plan.device != Device::cpu;
  const std::optional<int> gpu = on_gpu ? std::optional(request.options.device) : std::nullopt;
  std::vector<double> gradients(setup.places.size(), 0.0);
  for_each_kernel(setup, [&](const Kernel& kernel, const SamplesView& samples, const auto&) {
    const std::vector<double> more =
        point_gradients(kernel, samples, setup.places, threads, gpu, progress);
    for (std::size_t i = 0; i < gradients.size(); ++i) gradients[i] += more[i];
  });
  if (leave_one_out && setup.images) {
    const std::vector<double> own = own_gradients(setup, threads);
    for (std::size_t i = 0; i < gradients.size(); ++i) gradients[i] -= own[i];
  }
  const double whole = setup.plan.moments.total_weight();
  for (std::size_t i = 0; i < gradients.size(); ++i)
    gradients[i] /= leave_one_out ? weight_of_others(setup, i / 3) : whole;
  return gradients;
}

}  // namespace skde

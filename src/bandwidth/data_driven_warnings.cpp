#include "bandwidth/data_driven_warnings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "bandwidth/sample_choice.hpp"

namespace skde {
namespace {

constexpr std::uint64_t kLooked = 1000000, kLookSeed = 1;
constexpr double kSomePlaces = 1e-3;  // of the samples

/// Returns the share of values that occur more than once. Sorts the values.
template <class Value>
double repeated_share(std::vector<Value>& values) {
  std::ranges::sort(values);
  std::size_t repeated = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    if ((i > 0 && values[i] == values[i - 1]) ||
        (i + 1 < values.size() && values[i] == values[i + 1]))
      ++repeated;
  return static_cast<double>(repeated) /
         static_cast<double>(std::max<std::size_t>(1, values.size()));
}

/// The shares of samples with equal coordinates, from at most a million samples.
struct SharedPlaces {
  std::array<double, 3> along{};  ///< share that has another's coordinate
  double place = 0;               ///< share that has all three of another's

  explicit SharedPlaces(const SamplesView& all) {
    const Samples some = choose_samples(all, kLooked, kLookSeed);
    std::vector<double> coordinates(some.size());
    std::vector<std::array<double, 3>> places(some.size());
    for (int a = 0; a < 3; ++a) {
      for (std::size_t i = 0; i < some.size(); ++i)
        places[i][static_cast<std::size_t>(a)] = coordinates[i] = some.view().point(i)[a];
      along[static_cast<std::size_t>(a)] = repeated_share(coordinates);
    }
    place = repeated_share(places);
  }
};

/// Returns the step to which coordinates along an axis are rounded: the median gap to the next
/// coordinate, over samples that share theirs with another one. 0 if few samples share theirs.
double step_along(const SamplesView& samples, int axis) {
  constexpr double kMany = 0.1;
  std::vector<double> sorted(samples.size()), gaps;
  for (std::size_t i = 0; i < sorted.size(); ++i) sorted[i] = samples.point(i)[axis];
  std::ranges::sort(sorted);
  double before = std::numeric_limits<double>::infinity();
  for (std::size_t first = 0, last = 0; first < sorted.size(); first = last) {
    while (last < sorted.size() && sorted[last] == sorted[first]) ++last;
    const double after = last < sorted.size() ? sorted[last] - sorted[first]
                                              : std::numeric_limits<double>::infinity();
    if (last - first > 1) gaps.insert(gaps.end(), last - first, std::min(before, after));
    before = after;
  }
  if (static_cast<double>(gaps.size()) < kMany * static_cast<double>(sorted.size())) return 0;
  const auto middle = gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 2);
  std::nth_element(gaps.begin(), middle, gaps.end());
  return std::isfinite(*middle) ? *middle : 0;
}

std::string other_rules(std::string_view rule) {
  return rule == "plug-in" ? "`bandwidth=silverman`"
                           : "`bandwidth=plug-in` or `bandwidth=silverman`";
}

/// Warns of kernels that are narrower than the step between planes.
void warn_of_planes(const ScoredSamples& cloud, const JudgedBandwidth& judged,
                    std::vector<Warning>& warnings) {
  constexpr std::uint64_t kSome = 100000;  // enough to share coordinates on steps so wide
  // The ripple between planes ends where a Gaussian's deviation is half a step, and for other
  // kernels at the same smoothness. Below a full step the warning is always due.
  const double wide = std::max(1.0, 0.5 * judged.kernel->scott);
  const Samples some = choose_samples(cloud.samples, kSome, kLookSeed);
  const double variances[3] = {cloud.S.xx, cloud.S.yy, cloud.S.zz};
  for (int a = 0; a < 3; ++a) {
    const double step = step_along(some.view(), a), width = judged.h * std::sqrt(variances[a]);
    if (!(width < wide * step)) continue;
    const char axis = kAxisNames[static_cast<std::size_t>(a)];
    warnings.push_back(
        {"rounded_coordinates",
         fmt::format("h = {:.4g} by {} makes kernels {:.3g} wide along {}, where coordinates are "
                     "rounded to steps of {:.3g}, so the density shows the steps",
                     judged.h, judged.rule, width, axis, step),
         {"bandwidth", fmt::format("jitter the samples by one step along {}, or compare it with {}",
                                   axis, other_rules(judged.rule))}});
  }
}

void warn_of_lonely(const JudgedBandwidth& judged, std::vector<Warning>& warnings) {
  if (!judged.lonely.decide) return;
  const bool one = judged.lonely.count == 1;
  warnings.push_back(
      {"lonely_samples",
       fmt::format(
           "{} more than {:g} deviations from any other {} h = {:.4g} by {} from being smaller, as "
           "it would be without {}",
           one ? "one sample that is" : fmt::format("{} samples that are", judged.lonely.count),
           LonelySamples::kDeviations, one ? "keeps" : "keep", judged.h, judged.rule,
           one ? "it" : "them"),
       {"bandwidth", "use `bandwidth=lscv` or `bandwidth=plug-in`, or remove such samples"}});
}

void warn_of_narrow(const ScoredSamples& cloud, const JudgedBandwidth& judged,
                    std::vector<Warning>& warnings) {
  constexpr double kNarrow = 0.2;  // of Silverman's h
  constexpr double kMany = 0.1;    // of the samples
  if (!(judged.h < kNarrow * judged.silverman)) return;
  const SharedPlaces shared(cloud.samples);
  std::vector<std::string> ties;
  if (shared.place >= kSomePlaces)
    ties.push_back(
        fmt::format("{:.3g} % of the samples have the position of another", 100 * shared.place));
  for (std::size_t a = 0; a < 3; ++a)
    if (shared.along[a] >= kMany)
      ties.push_back(
          fmt::format("{:.3g} % have the {} of another", 100 * shared.along[a], kAxisNames[a]));
  const bool rounded = !ties.empty();
  warnings.push_back(
      {"narrow_bandwidth",
       fmt::format("h = {:.4g} by {} is {:.3g} times that of Silverman's rule, so narrow that it "
                   "may follow {}",
                   judged.h, judged.rule, judged.h / judged.silverman,
                   rounded ? fmt::format("ties of rounded or repeated coordinates: {}",
                                         fmt::join(ties, ", "))
                           : "single samples"),
       {"bandwidth",
        fmt::format("{}compare it with {}",
                    rounded ? "give each position once with its count as a weight, or jitter the "
                              "samples by the step that they are rounded to; or "
                            : "",
                    other_rules(judged.rule))}});
}

}  // namespace

bool has_ties(const SamplesView& samples) { return SharedPlaces(samples).place >= kSomePlaces; }

std::vector<Warning> step_warnings(const ScoredSamples& cloud, const JudgedBandwidth& judged) {
  std::vector<Warning> warnings;
  warn_of_planes(cloud, judged, warnings);
  return warnings;
}

std::vector<Warning> data_driven_warnings(const ScoredSamples& cloud,
                                          const JudgedBandwidth& judged) {
  std::vector<Warning> warnings;
  warn_of_narrow(cloud, judged, warnings);
  warn_of_planes(cloud, judged, warnings);
  warn_of_lonely(judged, warnings);
  return warnings;
}

}  // namespace skde

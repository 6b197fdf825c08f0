#include "estimate/evidence_warnings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>

#include "estimate/sample_choice.hpp"

namespace skde {
namespace {

constexpr std::uint64_t kLooked = 1000000, kSeed = 1;

/// The share of samples with the same number as another one, after sorting.
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

/// What samples have in common, of a million at the most.
struct SharedPlaces {
  std::array<double, 3> along{};  ///< the share that has another's coordinate
  double place = 0;               ///< or all three

  explicit SharedPlaces(const SamplesView& all) {
    const Samples some = choose_samples(all, kLooked, kSeed);
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

}  // namespace

std::vector<Warning> narrow_bandwidth_warnings(const EvidenceCloud& cloud, double h,
                                               std::string_view rule) {
  constexpr double kNarrow = 0.2;                    // of what Silverman's rule takes
  constexpr double kMany = 0.1, kSomePlaces = 1e-3;  // of the samples
  if (!(h < kNarrow * cloud.reference)) return {};
  const SharedPlaces shared(cloud.samples);
  std::vector<std::string> ties;
  if (shared.place >= kSomePlaces)
    ties.push_back(
        fmt::format("{:.3g} % of the samples lie at another one's place", 100 * shared.place));
  for (std::size_t a = 0; a < 3; ++a)
    if (shared.along[a] >= kMany)
      ties.push_back(
          fmt::format("{:.3g} % have another one's {}", 100 * shared.along[a], kAxisNames[a]));
  const bool rounded = !ties.empty();
  const std::string others =
      rule == "plug-in" ? "`bandwidth=silverman`" : "`bandwidth=plug-in` or `bandwidth=silverman`";
  return {{"narrow_bandwidth",
           fmt::format("h = {:.4g} by {} is {:.3g} times that of Silverman's rule, so narrow that "
                       "it may follow {}",
                       h, rule, h / cloud.reference,
                       rounded ? fmt::format("ties of rounded or repeated coordinates: {}",
                                             fmt::join(ties, ", "))
                               : "single samples"),
           {"bandwidth",
            fmt::format("{}compare it with {}",
                        rounded ? "give each place once with its count as a weight, or spread "
                                  "samples over the step that they are rounded to; or "
                                : "",
                        others)}}};
}

}  // namespace skde

#include "io/points/splats/codebook.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace skde::io {
namespace {

constexpr std::size_t kCodebookEntries = 256, kMostCodebookSamples = std::size_t{1} << 18;
constexpr int kMostLloydSteps = 50;

/// Well-mixed_bits bits of a number (the finaliser of SplitMix64, Steele et al., OOPSLA 2014).
std::uint64_t mixed_bits(std::uint64_t n) {
  n += 0x9e3779b97f4a7c15;
  n = (n ^ n >> 30) * 0xbf58476d1ce4e5b9;
  n = (n ^ n >> 27) * 0x94d049bb133111eb;
  return n ^ n >> 31;
}

/// At most kMostCodebookSamples of the values, one at random of each stretch, with the outermost;
/// sorted.
std::vector<double> sorted_samples(std::span<const float> values) {
  std::vector<double> samples;
  if (values.size() <= kMostCodebookSamples) {
    samples.assign(values.begin(), values.end());
  } else {
    for (std::size_t i = 0; i < kMostCodebookSamples; ++i) {
      const std::size_t first = i * values.size() / kMostCodebookSamples;
      const std::size_t end = (i + 1) * values.size() / kMostCodebookSamples;
      samples.push_back(static_cast<double>(values[first + mixed_bits(i) % (end - first)]));
    }
    const auto [least, most] = std::ranges::minmax_element(values);
    samples.push_back(static_cast<double>(*least));
    samples.push_back(static_cast<double>(*most));
  }
  std::ranges::sort(samples);
  return samples;
}

/// Sorted samples with sums of all before each.
class LloydSteps {
 public:
  explicit LloydSteps(std::vector<double> sorted) : sorted_(std::move(sorted)) {
    sums_.reserve(sorted_.size() + 1);
    squares_.reserve(sorted_.size() + 1);
    for (const double value : sorted_) {
      sums_.push_back(sums_.back() + value - middle());
      squares_.push_back(squares_.back() + (value - middle()) * (value - middle()));
    }
  }

  /// Moves each entry to the mean of the samples nearest to it. Returns the sum of squared
  /// distances from the entries before.
  double step(std::vector<double>& entries) const {
    double total = 0;
    std::size_t first = 0;
    for (std::size_t k = 0; k < entries.size(); ++k) {
      const std::size_t end = k + 1 == entries.size()
                                  ? sorted_.size()
                                  : end_below((entries[k] + entries[k + 1]) / 2, first);
      if (end > first) {
        const auto count = static_cast<double>(end - first);
        const double sum = sums_[end] - sums_[first], e = entries[k] - middle();
        total += squares_[end] - squares_[first] - 2 * e * sum + count * e * e;
        entries[k] = std::clamp(sum / count + middle(), sorted_[first], sorted_[end - 1]);
      }
      first = end;
    }
    return total;
  }

 private:
  double middle() const { return sorted_[sorted_.size() / 2]; }
  std::size_t end_below(double bound, std::size_t first) const {
    return static_cast<std::size_t>(
        std::upper_bound(sorted_.begin() + static_cast<std::ptrdiff_t>(first), sorted_.end(),
                         bound) -
        sorted_.begin());
  }

  std::vector<double> sorted_, sums_{0}, squares_{0};
};

/// Entries after the last step, and the distance before it.
double improved_entries(const LloydSteps& lloyd, std::vector<double>& entries) {
  double before = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kMostLloydSteps; ++i) {
    const double now = lloyd.step(entries);
    if (!(now < 0.999 * before)) return now;
    before = now;
  }
  return before;
}

std::vector<double> best_entries(const std::vector<double>& sorted) {
  std::vector<double> quantiles(kCodebookEntries), steps(kCodebookEntries);
  for (std::size_t k = 0; k < kCodebookEntries; ++k) {
    quantiles[k] = sorted[(2 * k + 1) * (sorted.size() - 1) / (2 * kCodebookEntries)];
    const double share = static_cast<double>(k) / static_cast<double>(kCodebookEntries - 1);
    steps[k] = (1 - share) * sorted.front() + share * sorted.back();
  }
  quantiles.front() = sorted.front();
  quantiles.back() = sorted.back();
  const LloydSteps lloyd(sorted);
  const double of_quantiles = improved_entries(lloyd, quantiles),
               of_steps = improved_entries(lloyd, steps);
  return of_quantiles <= of_steps ? quantiles : steps;
}

}  // namespace

Codebook::Codebook(std::span<const float> values) {
  if (values.empty()) return;
  const std::vector<double> sorted = sorted_samples(values);
  std::vector<double> entries = sorted;
  entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
  if (entries.size() > kCodebookEntries) {
    entries = best_entries(sorted);
    std::ranges::sort(entries);
  }
  entries.resize(kCodebookEntries, entries.back());
  for (std::size_t k = 0; k < kCodebookEntries; ++k) values_[k] = static_cast<float>(entries[k]);
  for (std::size_t k = 0; k + 1 < kCodebookEntries; ++k)
    bounds_[k] = static_cast<float>(
        (static_cast<double>(values_[k]) + static_cast<double>(values_[k + 1])) / 2);
}

std::uint8_t Codebook::nearest(float value) const {
  // The first entry whose upper bound is not below the value: eight halvings without branches.
  std::size_t first = 0;
  for (std::size_t half = kCodebookEntries / 2; half > 0; half /= 2)
    first += bounds_[first + half - 1] < value ? half : 0;
  return static_cast<std::uint8_t>(first);
}

}  // namespace skde::io

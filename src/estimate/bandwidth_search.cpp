#include "estimate/bandwidth_search.hpp"

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <cstdint>
#include <limits>

namespace skde {
namespace {

using Curve = std::vector<ScoredBandwidth>;

/// Index of the least score; the last one where none is finite, as kernels are too narrow then.
std::size_t least_of(const Curve& curve) {
  const auto least = std::ranges::min_element(curve, {}, &ScoredBandwidth::score);
  return std::isfinite(least->score) ? static_cast<std::size_t>(least - curve.begin())
                                     : curve.size() - 1;
}

/// The least of those that lie between two higher ones; the curve's size where none does.
std::size_t least_valley(const Curve& curve) {
  std::size_t best = curve.size();
  for (std::size_t i = 1; i + 1 < curve.size(); ++i) {
    const double score = curve[i].score;
    if (!std::isfinite(score) || score > curve[i - 1].score || score > curve[i + 1].score) continue;
    if (best == curve.size() || score < curve[best].score) best = i;
  }
  return best;
}

class Search {
 public:
  Search(const std::function<double(double)>& score, const SearchSpec& spec)
      : score_(score), spec_(spec) {}

  SearchResult run() {
    bracket();
    SearchResult result;
    const std::size_t valley = least_valley(curve_);
    result.falls_to_lower_end = least_of(curve_) == 0;
    if (valley < curve_.size())
      result.least = refined(curve_[valley - 1].h, curve_[valley], curve_[valley + 1].h);
    std::ranges::sort(curve_, {}, &ScoredBandwidth::h);
    // The minimiser begins at an end of its bracket, which is on the curve.
    const auto same = [](const ScoredBandwidth& a, const ScoredBandwidth& b) {
      return b.h - a.h <= 1e-12 * b.h;
    };
    curve_.erase(std::unique(curve_.begin(), curve_.end(), same), curve_.end());
    result.curve = std::move(curve_);
    return result;
  }

 private:
  ScoredBandwidth scored(double h) const { return {h, score_(h)}; }

  void bracket() {
    const int steps = std::max(
        1, static_cast<int>(
               std::ceil(std::log(spec_.upper / spec_.lower) / std::log(spec_.ratio) - 1e-9)));
    const double ratio = std::pow(spec_.upper / spec_.lower, 1.0 / steps);
    // From above, where a cloud's spectrum is coarse.
    for (int i = steps; i >= 0; --i)
      curve_.insert(curve_.begin(), scored(spec_.lower * std::pow(ratio, i)));
    constexpr std::size_t kNear = 2;  // to an end, that is looked beyond
    while (least_of(curve_) < kNear && curve_.front().h > spec_.lower / spec_.beyond)
      curve_.insert(curve_.begin(), scored(curve_.front().h / ratio));
    while (least_of(curve_) + 1 >= curve_.size() && curve_.back().h < spec_.upper * spec_.beyond)
      curve_.push_back(scored(curve_.back().h * ratio));
  }

  /// Of log h, which all scales have alike.
  ScoredBandwidth refined(double lower, const ScoredBandwidth& middle, double upper) {
    constexpr int kBits = 14;
    std::uintmax_t evaluations = 40;
    ScoredBandwidth best = middle;
    const auto score = [&](double log_h) {
      const ScoredBandwidth found = scored(std::exp(log_h));
      curve_.push_back(found);
      if (found.score < best.score) best = found;
      // Parabolas are of numbers alone.
      return std::isfinite(found.score) ? found.score : std::numeric_limits<float>::max();
    };
    // About 0, so that the tolerance is not one of a large logarithm.
    const double centre = std::log(middle.h);
    boost::math::tools::brent_find_minima([&](double off) { return score(centre + off); },
                                          std::log(lower) - centre, std::log(upper) - centre, kBits,
                                          evaluations);
    return best;
  }

  const std::function<double(double)>& score_;
  SearchSpec spec_;
  Curve curve_;
};

}  // namespace

SearchResult search_bandwidth(const std::function<double(double)>& score, const SearchSpec& spec) {
  return Search(score, spec).run();
}

}  // namespace skde

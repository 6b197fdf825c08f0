#include "bandwidth/bandwidth_search.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace skde {
namespace {

using Curve = std::vector<ScoredBandwidth>;

/// Returns the index of the lowest score. If no score is finite, the kernels are too narrow, and it
/// returns the last index.
std::size_t least_of(const Curve& curve) {
  const auto least = std::ranges::min_element(curve, {}, &ScoredBandwidth::score);
  return std::isfinite(least->score) ? static_cast<std::size_t>(least - curve.begin())
                                     : curve.size() - 1;
}

/// Returns the index of the lowest score between two higher ones; the curve's size if there is
/// none.
std::size_t least_valley(const Curve& curve) {
  std::size_t best = curve.size();
  for (std::size_t i = 1; i + 1 < curve.size(); ++i) {
    const double score = curve[i].score;
    if (!std::isfinite(score) || score > curve[i - 1].score || score > curve[i + 1].score) continue;
    if (best == curve.size() || score < curve[best].score) best = i;
  }
  return best;
}

/// A score at the logarithm of h.
struct LogPoint {
  double at = 0, score = 0;
};

/// Three points whose middle is no higher than the ends.
struct Bracket {
  LogPoint lower, middle, upper;

  double width() const { return upper.at - lower.at; }
  /// Returns the minimum of the parabola through the three points; not finite if an end is not.
  double parabola() const {
    const double left = middle.at - lower.at, right = upper.at - middle.at;
    const double rise_left = (lower.score - middle.score) / left,
                 rise_right = (upper.score - middle.score) / right;
    return middle.at + 0.5 * (rise_left * right - rise_right * left) / (rise_left + rise_right);
  }
  /// Returns the golden section point of the wider half.
  double golden() const {
    constexpr double kShare = 2 - std::numbers::phi;
    const double left = middle.at - lower.at, right = upper.at - middle.at;
    return right > left ? middle.at + kShare * right : middle.at - kShare * left;
  }
  void take(const LogPoint& point) {
    LogPoint& end = point.at < middle.at ? lower : upper;
    if (point.score <= middle.score) {
      (point.at < middle.at ? upper : lower) = middle;
      middle = point;
    } else {
      end = point;
    }
  }
};

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
      result.least = refined({at(curve_[valley - 1]), at(curve_[valley]), at(curve_[valley + 1])});
    std::ranges::sort(curve_, {}, &ScoredBandwidth::h);
    result.curve = std::move(curve_);
    return result;
  }

 private:
  ScoredBandwidth scored(double h) const { return {h, score_(h)}; }
  static LogPoint at(const ScoredBandwidth& point) { return {std::log(point.h), point.score}; }
  void bracket() {
    const double lower = spec_.lower, factor = spec_.upper / lower;
    const int steps =
        std::max(1, static_cast<int>(std::ceil(std::log(factor) / std::log(spec_.ratio) - 1e-9)));
    const double ratio = std::pow(factor, 1.0 / steps);
    // Starts from above, where a cloud's spectrum may be coarse.
    for (int i = steps; i >= 0; --i) {
      curve_.insert(curve_.begin(), scored(lower * std::pow(ratio, i)));
      if (curve_[least_of(curve_)].h > spec_.enough_below * curve_.front().h) break;
    }
    while (least_of(curve_) < spec_.near && curve_.front().h > lower / spec_.beyond)
      curve_.insert(curve_.begin(), scored(curve_.front().h / ratio));
    const double most = factor * lower * spec_.beyond;
    while (least_of(curve_) + 1 >= curve_.size() && curve_.back().h < most)
      curve_.push_back(scored(curve_.back().h * ratio));
  }

  /// Works on logarithms of h, so that it treats all scales alike.
  ScoredBandwidth refined(Bracket bracket) {
    constexpr int kMost = 40;
    const double same = spec_.same;
    double before = bracket.width(), two_before = before;
    for (int i = 0; i < kMost && bracket.width() > 2 * same; ++i) {
      double next = bracket.parabola();
      const bool shrinks = i < 2 || bracket.width() < 0.5 * two_before;
      if (std::isfinite(next) && std::abs(next - bracket.middle.at) < same) break;
      if (!std::isfinite(next) || !shrinks) next = bracket.golden();
      two_before = before;
      before = bracket.width();
      curve_.push_back(scored(std::exp(next)));
      bracket.take({next, curve_.back().score});
    }
    return {std::exp(bracket.middle.at), bracket.middle.score};
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

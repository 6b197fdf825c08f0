#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "core/cloud/samples.hpp"
#include "core/report/progress.hpp"
#include "core/space/space.hpp"

namespace skde {

/// Returns the places of samples in reaches, where the matrix S times the squared reach is the unit
/// matrix. They are rounded to 2^-32, so that all differences of near ones are exact.
std::vector<double> rounded_places(const SamplesView& samples, const Symmetric3& S, double reach,
                                   int threads);

/// The pairs of a cloud up to a distance, in fine bins of it. One pass over the pairs makes them,
/// and the sum of any function of the distance follows. A bin knows the mean distance of its pairs.
/// Distances are rounded to 2^-22 of the reach. The bits are the same for any number of
/// threads and, for equal weights, on every machine.
class PairBins {
 public:
  /// Distances are those of the space in which the matrix S is the unit matrix. `total` is the W of
  /// left_out(). Throws Error(cancelled).
  PairBins(const SamplesView& samples, const Symmetric3& S, double reach, double total, int threads,
           Progress& progress);

  /// Bins of samples of equal weights that were counted elsewhere: of each, the number of pairs and
  /// the sum of their offsets in widths of bins.
  static PairBins counted(double reach, double weight, double total, std::vector<double> sums);

  static constexpr std::size_t kBins = 16384;

  double reach() const { return reach_; }
  /// Returns sum_i sum_j w_i w_j F(|x_i - x_j|), i = j included, for an F that is 0 from reach()
  /// on. The pairs of a bin count at their mean distance if F has edges, which rounded coordinates
  /// may meet, or else as if they were evenly spread.
  template <class Function>
  double products(const Function& function, bool has_edges = false) const {
    return sum(0, function, has_edges);
  }
  /// Returns sum_i sum_j v_i w_j F with v_i = w_i / (W - w_i).
  template <class Function>
  double left_out(const Function& function, bool has_edges) const {
    return left_out_factor_ * sum(bins_.size() / kBins - 2, function, has_edges);
  }

 private:
  PairBins() = default;
  template <class Function>
  double sum(std::size_t first, const Function& function, bool has_edges) const;

  double reach_ = 0;
  double left_out_factor_ = 1;
  /// Two sums a bin: weight, and weight times offset in widths of bins; the same for v if weights
  /// differ.
  std::vector<double> bins_;
};

template <class Function>
double PairBins::sum(std::size_t first, const Function& function, bool has_edges) const {
  const std::size_t sums_a_bin = bins_.size() / kBins;
  const double width = reach_ / kBins;
  double sum = 0;
  for (std::size_t bin = 0; bin < kBins; ++bin) {
    const double *const sums = &bins_[bin * sums_a_bin + first], weight = sums[0];
    if (!(weight > 0)) continue;
    const double mean = sums[1] / weight, from = static_cast<double>(bin),
                 even = std::min(1.0 / 12, mean * (1 - mean)),  // variance
        apart = has_edges ? 0 : std::sqrt(std::max(0.0, even));
    sum += 0.5 * weight *
           (function((from + mean - apart) * width) + function((from + mean + apart) * width));
  }
  return sum;
}

}  // namespace skde

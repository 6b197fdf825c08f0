#pragma once

#include <memory>
#include <optional>

#include "bandwidth/cross_validation.hpp"
#include "core/report/progress.hpp"
#include "engines/cpu/ranges/pair_bins.hpp"

#if SKDE_HAS_FFTW
#include "core/space/grid.hpp"
#include "engines/cpu/spectral/spectral_power.hpp"
#endif

namespace skde {

/// The few far samples of a cloud, kept apart so that the transform of all others needs a smaller
/// box. A still smaller inner box holds only samples that no far sample reaches. The sum over far
/// pairs is that of the samples outside the inner box, less that of those samples inside the box.
class TailPairs {
 public:
  /// For pairs up to `reach` apart, where S is the unit matrix. Returns null if too many samples
  /// lie outside the inner box.
  static std::unique_ptr<const TailPairs> of(const ScoredSamples& cloud, double reach);

  /// The box in the space in which S is the unit matrix, relative to the cloud's first sample.
  const Box& box() const { return box_; }
  /// Returns `sum` over the pairs that are not both within the box.
  template <class Sum>
  auto sum(const Sum& of) const {
    return of(outer_.view()) - of(shell_.view());
  }

 private:
  explicit TailPairs(const Box& box) : box_(box) {}

  Box box_;
  Samples outer_, shell_;
};

/// The terms of least-squares cross-validation, per unit of volume.
struct PairTerms {
  double convolution = 0;  ///< the integral of f^2
  double left_out = 0;     ///< sum_i w_i f_-i(x_i) / W
};

/// Sums over all pairs of a cloud, from the pairs themselves or, for Gaussians and many samples,
/// from a spectrum. The spectrum of one bandwidth is reused for the next.
class PairSource {
 public:
  explicit PairSource(const ScoredSamples& cloud);

  PairTerms terms(double h, Progress& progress);
  /// Returns sum_i sum_j w_i w_j (-1)^s lap^s phi_g(x_i - x_j) / W^2 in the space in which S is the
  /// unit matrix, including i = j; s = 2 or 3.
  double laplacian(int s, double g, Progress& progress);

 private:
  /// Sums over pairs in the space in which S is the unit matrix, including i = j.
  struct Sums {
    double convolved = 0;  ///< sum_i sum_j w_i w_j (k * k)
    double kernel = 0;     ///< sum_i sum_j v_i w_j k, v_i = w_i / (W - w_i)
    Sums operator-(const Sums& other) const {
      return {convolved - other.convolved, kernel - other.kernel};
    }
  };
  PairBins bins_of(const SamplesView& samples, double reach, Progress& progress) const;
  /// Returns bins of the cloud that are fine enough for functions of this reach. They serve the
  /// next bandwidths, too, up to the reach `widest`.
  const PairBins& bins(double reach, double widest, Progress& progress);
  Sums sums_of(const PairBins& bins, double h) const;
  double laplacian_of(const SamplesView& samples, int s, double g, Progress& progress) const;
  /// Returns whether a spectrum for Gaussians of this deviation is available; makes it if needed.
  bool has_spectrum(double deviation, Progress& progress);

  ScoredSamples cloud_;
  double weight_ = 0;
  double squares_left_out_ = 0;  // sum w_i v_i
  double volume_ = 1;            // root of det S
  std::optional<PairBins> bins_;
#if SKDE_HAS_FFTW
  std::unique_ptr<const SpectralPower> power_;
  std::unique_ptr<const TailPairs> tails_;  // of the samples that the spectrum leaves out
  double finest_ = 0, widest_ = 0;
  double too_fine_ = 0;  // a deviation for which memory did not suffice
#endif
};

}  // namespace skde

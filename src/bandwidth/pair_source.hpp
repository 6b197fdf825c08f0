#pragma once

#include <memory>
#include <optional>

#include "bandwidth/cross_validation.hpp"
#include "core/report/progress.hpp"

#if SKDE_HAS_FFTW
#include "bandwidth/tail_pairs.hpp"
#include "engines/cpu/spectral/spectral_power.hpp"
#endif

namespace skde {

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
  Sums sums_of(const SamplesView& samples, double h, Progress& progress) const;
  double laplacian_of(const SamplesView& samples, int s, double g, Progress& progress) const;
  /// Returns whether a spectrum for Gaussians of this deviation is available; makes it if needed.
  bool has_spectrum(double deviation, Progress& progress);

  ScoredSamples cloud_;
  double weight_ = 0;
  double squares_left_out_ = 0;  // sum w_i v_i
  double volume_ = 1;            // root of det S
#if SKDE_HAS_FFTW
  std::unique_ptr<const SpectralPower> power_;
  std::unique_ptr<const TailPairs> tails_;  // of the samples that the spectrum leaves out
  double finest_ = 0, widest_ = 0;
  double too_fine_ = 0;  // a deviation for which memory did not suffice
#endif
};

}  // namespace skde

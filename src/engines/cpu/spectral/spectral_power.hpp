#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/cloud/samples.hpp"
#include "core/report/progress.hpp"
#include "core/space/space.hpp"

namespace skde {

/// The functions of pairs that a spectrum must resolve: as narrow and as wide as Gaussians of these
/// deviations, in the space in which a cloud's matrix S is the unit matrix.
struct SpectrumSpec {
  double finest = 0, widest = 0;
  double most_bytes = 0;  ///< limit of its memory
  /// Holds the samples that count, relative to the cloud's first sample; without it, all count.
  std::optional<Box> box{};
};

/// Sums functions of the distance over all pairs of a cloud, from one transform. Samples are spread
/// over nodes by B-splines and transformed; what is kept is the power at every squared frequency.
/// The sides of the box differ by powers of two, so that squared frequencies are integers in units
/// of the smallest, and different ones are never merged.
class SpectralPower {
 public:
  /// Returns null if it would take more than spec.most_bytes. Throws Error(cancelled).
  static std::unique_ptr<const SpectralPower> of(const SamplesView& samples,
                                                 const Symmetric3& matrix, const SpectrumSpec& spec,
                                                 int threads, Progress& progress);

  /// The Fourier transform of a function of the distance, at a squared angular frequency.
  using Transform = std::function<double(double)>;
  /// Returns sum_i sum_j w_i w_j F(|x_i - x_j|), i = j included. For a Gaussian of the finest
  /// deviation, the error is below 1e-7 of what the terms i = j add up to; for wider ones it is
  /// less.
  double pairs(const Transform& transform) const;
  /// Returns sum_i sum_j v_i w_j F with v_i = w_i / (W - w_i).
  double left_out_pairs(const Transform& transform) const;

 private:
  double sum(const std::vector<double>& power, const Transform& transform) const;

  double unit_ = 1;    // of squared angular frequencies
  double volume_ = 1;  // of the box
  double left_out_factor_ = 1;
  std::vector<double> power_;     // at each squared frequency, in units of unit_
  std::vector<double> left_out_;  // the same for v and w; empty if v is a multiple of w
};

}  // namespace skde

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/cloud/samples.hpp"
#include "core/report/progress.hpp"
#include "core/space.hpp"

namespace skde {

/// What a spectrum is good for, in the space in which a cloud's matrix S is the unit matrix:
/// functions of pairs as narrow and as wide as Gaussians of these deviations.
struct SpectrumSpec {
  double finest = 0, widest = 0;
  double most_bytes = 0;  ///< that it may take
  /// That holds the samples that count, from the cloud's first sample on; else of all.
  std::optional<Box> box{};
};

/// Sums over all pairs of a cloud of functions of their distance, from one transform: samples are
/// spread over nodes by B-splines and transformed, and what is left is the power at every squared
/// frequency. The sides of the box differ by powers of two, so that these are integers in
/// units of the least, and no power is lumped with another's.
class SpectralPower {
 public:
  /// Null where it takes more memory than it may. Throws Error(cancelled).
  static std::unique_ptr<const SpectralPower> of(const SamplesView& samples,
                                                 const Symmetric3& matrix, const SpectrumSpec& spec,
                                                 int threads, Progress& progress);

  /// What a function of the distance is at the squared angular frequency.
  using Transform = std::function<double(double)>;
  /// sum_i sum_j w_i w_j F(|x_i - x_j|), i = j included. For a Gaussian of the finest deviation off
  /// by less than 1e-8 of what i = j adds up to, and less for wider ones.
  double pairs(const Transform& transform) const;
  /// sum_i sum_j v_i w_j F with v_i = w_i / (W - w_i).
  double left_out_pairs(const Transform& transform) const;

 private:
  double sum(const std::vector<double>& power, const Transform& transform) const;

  double unit_ = 1;    // of squared angular frequencies
  double volume_ = 1;  // of the box
  double left_out_factor_ = 1;
  std::vector<double> power_;     // at each squared frequency, in units
  std::vector<double> left_out_;  // the same of v and w; empty where v is a multiple of w
};

}  // namespace skde

#pragma once

#include <optional>
#include <span>
#include <vector>

#include "analysis/answers/density_peaks.hpp"
#include "core/report/progress.hpp"
#include "estimate/values/density_facts.hpp"

namespace skde {

class Session;

/// Where a density of samples has a maximum, and how sure that is.
struct ExactPeak {
  Vec3 place;
  double height = 0;
  /// False if the ascent met its limits: the kernels leave a ridge or a plateau.
  bool settled = false;
  /// Covariance of the place, as the samples would be drawn again: A^-1 B A^-1, with A the second
  /// derivatives of f, from a wider Gaussian, and B = sum_i w_i^2 grad k_i grad k_i^T / W^2
  /// (Romano, Annals of Statistics 16(2), 1988). None where A is not negative definite, or the
  /// gradient of kernels is not known.
  std::optional<Symmetric3> covariance{};
  /// sqrt(sum_i w_i^2 k_i^2 / W^2 - f^2 / n_eff), normalised as f.
  std::optional<double> height_error{};
};

/// Climbs from peaks of a density's cells to its maxima by Newton steps on exact gradients or, with
/// compact kernels, by mean shifts, at most two deviations of the kernel away. Errors are those of
/// a shared H without boundaries, and none for samples that have kernels of their own or were
/// sharpened. The session must hold the samples that the density was made of. Returns the peaks as
/// they are if the kernel has no gradient (uniform). Throws what Session::evaluate throws.
std::vector<ExactPeak> exact_peaks(Session& session, const DensityFacts& facts,
                                   std::span<const DensityPeak> peaks, Progress& progress);

}  // namespace skde

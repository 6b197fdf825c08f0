#pragma once

#include <complex>
#include <cstdint>

#include "core/progress.hpp"
#include "core/samples.hpp"
#include "engines/cpu/round_space.hpp"
#include "engines/cpu/spectral_lines.hpp"
#include "engines/spectral_plan.hpp"

namespace skde {

/// The sums of samples over the nodes of a periodic box and, in their place, the transform of
/// these: of rows and slices at once, of lines along z as they are read.
class SpectralField {
 public:
  static constexpr int kLines = 16;  // side by side, for caches and vectors

  SpectralField(const SpectralPlan& plan, int threads);

  /// Spreads samples of a round space, whose weights are those given (one each, or none: all 1) and
  /// sum up to `total`; a part of the cloud at a time, so that copies stay small.
  void spread(const SamplesView& samples, const RoundSpace& space, double total,
              Progress& progress);
  /// The transforms along x and y; Error(cancelled).
  void transform_slices(Progress& progress);
  /// kLines values from column i of row j on, at all frequencies along z: lines[kLines f + lane].
  void transform_lines(std::int32_t i, std::int32_t j, std::complex<double>* lines) const;

  std::int32_t columns() const { return plan_.axes[0].nodes / 2 + 1; }
  static double bytes(const SpectralPlan& plan) { return plan.grid_bytes(); }

 private:
  std::int64_t slice() const { return plan_.row() * plan_.axes[1].nodes; }
  const std::complex<double>* at(std::int32_t i, std::int32_t j, std::int32_t k) const;
  std::size_t bytes_from(std::int32_t i) const;

  SpectralPlan plan_;
  int threads_;
  mutable AlignedArray<double, std::int64_t> nodes_;
  LineTransform<double> along_z_;
};

}  // namespace skde

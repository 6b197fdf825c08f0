#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/cloud/samples.hpp"
#include "core/report/progress.hpp"
#include "engines/cpu/ranges/round_space.hpp"
#include "engines/cpu/spectral/spectral_lines.hpp"
#include "engines/spectral_plan.hpp"

namespace skde {

/// The sums of samples over the nodes of a periodic box, which their transform replaces in place.
/// transform_slices() transforms along x and y; lines along z are transformed whenever they are
/// read.
class SpectralField {
 public:
  static constexpr int kLines = 16;  // lines side by side, for caches and vectors

  SpectralField(const SpectralPlan& plan, int threads);

  /// Spreads samples of a round space with the given weights (one each, or none: all 1), which sum
  /// to `total`. Works on a part of the cloud at a time, so that copies stay small. If `box` is
  /// given, only the samples in that box of the round space count.
  void spread(const SamplesView& samples, const RoundSpace& space, double total, Progress& progress,
              const std::optional<Box>& box = {});
  /// Transforms along x and y. Throws Error(cancelled).
  void transform_slices(Progress& progress);
  /// Transforms kLines lines along z, from column i of row j on. The value at frequency f of a line
  /// is lines[kLines f + lane].
  void transform_lines(std::int32_t i, std::int32_t j, std::complex<double>* lines) const;

  /// Factor of the transform at frequency f of an axis.
  using AxisFactor = std::function<double(std::size_t axis, std::int32_t f)>;
  /// Multiplies the transform `from`, which may be this field's, by the product of three factors
  /// and transforms it back, so that nodes hold the sums over frequencies. Throws Error(cancelled).
  void multiply(const SpectralField& from, const AxisFactor& factor, Progress& progress);
  /// Returns the values at samples of the round space, interpolated between nodes by the splines.
  std::vector<double> values_at(const SamplesView& samples, const RoundSpace& space,
                                Progress& progress) const;

  /// Returns 4 numbers per sample: the value and its gradient in the round space, which is that of
  /// the splines.
  std::vector<double> gradients_at(const SamplesView& samples, const RoundSpace& space,
                                   Progress& progress) const;

  std::int32_t columns() const { return plan_.axes[0].nodes / 2 + 1; }
  static double bytes(const SpectralPlan& plan) { return plan.grid_bytes(); }

 private:
  template <std::size_t Numbers>
  std::vector<double> read_at(const SamplesView& samples, const RoundSpace& space,
                              Progress& progress) const;
  std::int64_t slice() const { return plan_.row() * plan_.axes[1].nodes; }
  const std::complex<double>* at(std::int32_t i, std::int32_t j, std::int32_t k) const;
  std::complex<double>* at(std::int32_t i, std::int32_t j, std::int32_t k);
  void multiply_row(const SpectralField& from, std::int32_t j,
                    const std::array<std::vector<double>, 3>& factors,
                    const LineTransform<double>& back, std::complex<double>* lines);
  void transform_slice_back(std::int32_t k, const LineTransform<double>& row,
                            const LineTransform<double>& column, std::complex<double>* lines);
  std::int32_t lanes_from(std::int32_t i) const;

  SpectralPlan plan_;
  int threads_;
  mutable AlignedArray<double, std::int64_t> nodes_;
  LineTransform<double> along_z_;
};

}  // namespace skde

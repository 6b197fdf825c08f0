#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/report/progress.hpp"
#include "core/space/volume.hpp"

namespace skde {

/// Returns the product with a vector, v v^T, and the inverse.
Vec3 times(const Symmetric3& m, Vec3 v);
Symmetric3 outer(Vec3 v);
Symmetric3 inverse(const Symmetric3& m);

/// A mode of a density on a grid.
struct DensityPeak {
  Vec3 place;         ///< of the maximum of a parabola through the highest cell and its neighbours
  double height = 0;  ///< the value there, at least that of the cell
  double cell_height = 0;  ///< the value of the highest cell
  /// The highest value on a way to a higher peak; 0 if there is no such way over cells above 0.
  double saddle = 0;
  double mass = 0;         ///< of its basin: sum of the values times the volume of a cell
  std::int64_t cells = 0;  ///< of its basin

  /// Height above the saddle, by cells.
  double prominence() const { return cell_height - saddle; }
};

/// The modes of a density, and the cells that belong to each.
struct DensityPeaks {
  std::vector<DensityPeak> peaks{};  ///< the highest first
  /// The peak of each cell, x fastest: 0 for the first, -1 if it belongs to none.
  std::vector<std::int32_t> basins{};
  std::int64_t left_out = 0;  ///< maxima that were not kept, whose basins went to other peaks
};

/// Tells whether a maximum of this height above this saddle, one of so many, is a peak of its own.
using KeepsPeak = std::function<bool(double height, double saddle, std::size_t maxima)>;

/// Keeps maxima whose height above the saddle is at least a share of the highest peak.
KeepsPeak by_prominence(double share, double highest);
/// Keeps maxima that stand above their saddle by more than chance: by the normal quantile of
/// 1 - `significance` / (number of maxima) times the standard error of the difference (Bonferroni).
/// The variance of a value f is f R / n_eff, with R the integral of the squared kernel, as that of
/// a mean of n_eff kernels; values that far apart share few samples.
KeepsPeak by_significance(double significance, double squared_kernel, double effective_samples);

/// Finds the maxima of cells among their 26 neighbours, and the basins from which steps to the
/// highest neighbour lead to each. A maximum is joined to that of the basin behind its highest
/// saddle unless it is kept (topological persistence: Edelsbrunner, Letscher and Zomorodian,
/// Discrete & Computational Geometry 28, 2002). The highest of all is always kept. A maximum that
/// is not kept and has no way to a higher one leaves its cells without a peak. Plateaus count as
/// one maximum. Throws Error(input) if a value is not finite or none is above 0, Error(resources)
/// for 2^31 maxima or more, and Error(cancelled).
DensityPeaks density_peaks(const Volume& volume, const KeepsPeak& keeps, Progress& progress);

}  // namespace skde

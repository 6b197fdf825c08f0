#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/cloud/samples.hpp"
#include "core/problem.hpp"
#include "core/space/volume.hpp"

namespace skde {

/// Errors of values, measured at some cells.
struct MeasuredError {
  double error = 0;  ///< the largest, as a share of the peak
  std::size_t cells = 0;

  friend bool operator==(const MeasuredError&, const MeasuredError&) = default;
};

/// Direct sums in double at random cells, to compare with an engine that approximates. The cells
/// are the same for every run over a grid. Unbounded kernels are summed as far as double sees them.
/// There are 500 cells; for clouds above 4e5 samples fewer, down to 20, so that 1e8 samples take
/// seconds on two cores. If the problem has periods, every cell is seen from all images of the
/// samples within reach.
class ErrorProbe {
 public:
  ErrorProbe(const Problem& problem, std::int64_t samples, bool shaped, int threads);

  /// Adds samples whose bandwidth matrix is H.
  void add(const SamplesView& points, const Symmetric3& H);
  /// Compares slices from `z` on, as the engine left them. Call once all samples are added.
  void compare(const Volume& slices, std::int64_t z);
  /// Returns the measured error, for a volume with this largest value.
  MeasuredError result(double peak) const { return {worst_ / peak, cells_.size()}; }

  /// Returns false if kernels span so many periods that sums over all images take too long.
  static bool affords(const Problem& problem);
  /// Returns how far beyond the grid's box samples count.
  static Vec3 reach(const Problem& problem);

 private:
  void place_images(Vec3 centre, Vec3 reach);
  void add_from_corner(const SamplesView& points, const Kernel& kernel);
  void add_shaped(const SamplesView& points, const Kernel& kernel);

  Problem problem_;
  int threads_;
  std::vector<std::array<std::int64_t, 3>> cells_;
  std::vector<double> places_;       ///< centres relative to the lower corner, each with its images
  std::vector<std::size_t> starts_;  ///< of each cell in places_, and the end
  std::vector<double> sums_;         ///< one for each place
  double worst_ = 0;
};

}  // namespace skde

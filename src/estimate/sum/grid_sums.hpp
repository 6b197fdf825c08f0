#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/report/progress.hpp"
#include "core/volume.hpp"
#include "estimate/read/cloud_source.hpp"
#include "estimate/session.hpp"

namespace skde {

/// Sums over one cloud's samples at the cells of one grid, sum w_j b_j k_j(g), for one factor b
/// after another: in double, by the fastest engine of the CPU that approximates nothing. It is off
/// by rounding, a share of the largest sum, and by what Gaussians lack that are cut, which may be
/// more in a box on a flank; means_at() is off by a share of each sum.
class GridSums {
 public:
  /// Chooses bandwidth and grid. Kernels are not widened to cells, and what the request says of
  /// engine, precision and normalisation does not count. Without `runs` nothing is summed, and the
  /// plan is all that there is. Throws what Session::plan throws.
  GridSums(std::shared_ptr<const SampleCloud> cloud, const DensityRequest& request,
           std::int64_t memory_limit, bool runs, Progress& progress);

  const DensityPlan& plan() const { return facts_; }
  /// Sums the weights themselves, before all else. Throws what Session::compute throws.
  void sum_own(Progress& progress);

  const DensityFacts& facts() const { return facts_; }
  const Grid& grid() const { return facts_.grid; }
  std::size_t samples() const { return whole_.cloud->points.size(); }
  /// What a sum of weights may be off by, where this is the largest of the grid.
  double error(double largest) const { return error_ * largest + cut_away_; }

  /// Once: those of the weights, b = 1.
  Volume take_own() { return std::move(own_); }
  /// `factors`: one above 0 a sample.
  Volume sums(std::span<const double> factors, Progress& progress);
  /// Means at points of the grid's box (3 doubles each), as Session::means has them.
  std::vector<double> means_at(std::vector<double> points, std::span<const double> b,
                               std::size_t channels, Progress& progress);

 private:
  CloudSource whole_, factored_;
  double asked_tolerance_;
  DensityRequest fixed_;  ///< with the kernel and the grid that were chosen
  DensityFacts facts_;
  double error_ = 0;     ///< as a share of the largest sum
  double cut_away_ = 0;  ///< of a sum
  Volume own_;
};

}  // namespace skde

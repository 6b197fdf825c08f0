#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/report/progress.hpp"
#include "core/space/volume.hpp"
#include "estimate/read/cloud_source.hpp"

namespace skde {

/// Returns the request of a density for the same kernels on the same grid, whatever the weights of
/// the samples.
DensityRequest request_on_grid(const DensityFacts& facts);
/// Returns sums over the samples of `cloud` with their weights times `factors`, one per sample and
/// above 0. `source` keeps what sums of the same samples share. Throws what Session::compute
/// throws.
Volume reweighted_sums(CloudSource& source, const std::shared_ptr<const SampleCloud>& cloud,
                       const DensityRequest& request, std::span<const double> factors,
                       Progress& progress);

/// Sums over one cloud's samples at the cells of one grid, sum w_j b_j k_j(g), for one factor b
/// after another. They are in double, by the fastest CPU engine that approximates nothing. Their
/// error is rounding, a share of the largest sum, and the cut of Gaussians, which may be larger in
/// a box on a flank. The error of means_at() is a share of each sum.
class GridSums {
 public:
  /// Chooses bandwidth and grid. Kernels are not widened to the anti-aliasing floor. Engine,
  /// precision and normalisation of the request are ignored. Without `runs` nothing is summed: only
  /// the plan is available. Throws what Session::plan throws.
  GridSums(std::shared_ptr<const SampleCloud> cloud, const DensityRequest& request,
           std::int64_t memory_limit, bool runs, Progress& progress);

  const DensityPlan& plan() const { return plan_; }
  /// Sums the weights themselves; call this first. Throws what Session::compute throws.
  void sum_own(Progress& progress);

  const DensityFacts& facts() const { return facts_; }
  const Grid& grid() const { return facts_.grid; }
  std::size_t samples() const { return whole_.cloud->points.size(); }
  /// Returns the error of a sum of weights, where `largest` is the largest sum of the grid.
  double error(double largest) const { return error_ * largest + cut_away_; }

  /// Moves the sums of the weights out (b = 1). Call once.
  Volume take_own() { return std::move(own_); }
  /// Returns the sums for `factors`, one per sample and above 0.
  Volume sums(std::span<const double> factors, Progress& progress);
  /// Returns means at points of the grid's box (3 doubles each), as Session::means does.
  std::vector<double> means_at(std::vector<double> points, std::span<const double> b,
                               std::size_t channels, Progress& progress);

 private:
  CloudSource whole_, factored_;
  double asked_tolerance_;
  DensityRequest fixed_;  ///< with the chosen kernel and grid
  DensityPlan plan_;
  DensityFacts facts_;
  double error_ = 0;     ///< as a share of the largest sum
  double cut_away_ = 0;  ///< the most that a sum loses by the cut
  Volume own_;
};

}  // namespace skde

#pragma once

#include <vector>

#include "core/mixture/member.hpp"
#include "engines/mixture_engine.hpp"
#include "mixture/cluster_start.hpp"
#include "mixture/mixture_fit.hpp"

namespace skde {

/// A given density as fits see it: the mass of every cell, and what follows from it.
class FitTarget {
 public:
  /// Throws Error(input) if a value is negative or not finite, or if all are 0.
  explicit FitTarget(const FitInput& input);

  const Grid& grid() const { return problem_.frame; }
  const SamplesView& samples() const { return samples_; }
  std::span<const double> masses() const { return masses_; }
  double mass() const { return mass_; }
  double squares() const { return squares_; }  ///< the sum of squared masses
  /// The problem of summing members at the cells. The kernel's part of covariances is H of the
  /// given density, but at least one cell wide, so that sums over cells keep the mass.
  const MixtureProblem& problem() const { return problem_; }
  /// H of the given density; 0 if it is not known.
  const Symmetric3& kernel() const { return kernel_; }

  /// The cells whose mass is not 0.
  std::vector<MassPoint> cell_points() const;
  /// The samples in cells; together they have the mass of the grid.
  std::vector<MassPoint> sample_points() const;
  /// The most members that a fit can start from: samples, or cells whose value is not 0.
  std::size_t most_members() const;
  /// Returns `count` members from clusters of the samples, or of the cells if those are more.
  /// Throws Error(usage) if neither has so many places.
  std::vector<Member> start(std::size_t count) const;
  /// Returns what members reach: everything but steps, seconds and engine. Scales their masses so
  /// that the mass in the grid is the given one.
  FitFacts judge(std::vector<Member>& members, const FitSpec& spec, Progress& progress) const;

 private:
  std::vector<double> masses_;
  double mass_ = 0, squares_ = 0, peak_ = 0;
  SamplesView samples_;
  Symmetric3 kernel_;
  MixtureProblem problem_;
};

/// Returns the device that takes less time by its offer, or the given one. Throws Error(resources)
/// if it refuses.
Device fit_device(const MixtureProblem& problem, const std::vector<Member>& members,
                  const FitSpec& spec);

}  // namespace skde

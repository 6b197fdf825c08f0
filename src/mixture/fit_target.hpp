#pragma once

#include <vector>

#include "core/mixture/member.hpp"
#include "engines/mixture_engine.hpp"
#include "mixture/cluster_start.hpp"
#include "mixture/mixture_fit.hpp"

namespace skde {

/// A given density as fits see it: the mass of every cell, and what follows from it. Masses are
/// shares of the mass in the grid, so that no step of a fit depends on the density's unit.
class FitTarget {
 public:
  /// Throws Error(input) if a value is negative or not finite, if all are 0, or if their mass is
  /// beyond the range of double.
  explicit FitTarget(const FitInput& input);

  const Grid& grid() const { return problem_.frame; }
  const SamplesView& samples() const { return samples_; }
  std::span<const double> masses() const { return masses_; }
  double mass() const { return mass_; }        ///< in the grid, which the shares are of
  double squares() const { return squares_; }  ///< the sum of squared shares
  /// The problem of summing members at the cells. The kernel's part of covariances is H of the
  /// given density, however narrow. If H is not known, it is one cell wide, so that sums over cells
  /// keep the mass, or as wide as the narrowest of the samples' own kernels.
  const MixtureProblem& problem() const { return problem_; }
  /// H of the given density; 0 if it is not known.
  const Symmetric3& kernel() const { return kernel_; }
  /// The kernel's part of covariances, but at least one cell wide along every axis.
  Symmetric3 kernel_of_a_cell() const;
  /// Covariances of the samples' own kernels (6 doubles each, squared world units); empty if all
  /// share H.
  std::span<const double> own_kernels() const { return own_kernels_; }
  /// The samples' shares of their weight.
  std::vector<double> sample_shares() const;

  /// The cells whose mass is not 0.
  std::vector<MassPoint> cell_points() const;
  /// The samples in cells, of mass 1 together.
  std::vector<MassPoint> sample_points() const;
  /// The most members that a fit can start from: samples, or cells whose value is not 0.
  std::size_t most_members() const;
  /// Returns `count` members from clusters of the samples, or of the cells if those are more. If
  /// the kernel is narrow, these are the better of two kinds of clusters. Throws Error(usage) if
  /// neither has so many places.
  std::vector<Member> start(std::size_t count, const FitSpec& spec, Progress& progress) const;
  /// Returns what members reach: everything but divergence, steps, seconds and engine. Scales their
  /// masses so that the mass in the grid is the given one.
  FitFacts judge(std::vector<Member>& members, const FitSpec& spec, Progress& progress) const;
  /// Returns the Kullback-Leibler divergence from the given density to the members over the cells.
  /// Where the sums are cut, it adds logarithms.
  double divergence(const std::vector<Member>& members, const FitSpec& spec,
                    Progress& progress) const;
  /// Returns the integral of the squared difference from the sum of the samples' Gaussians, up to a
  /// constant: what the cells cannot tell of narrow members. 0 if the kernel is not narrow, without
  /// samples, and for very many members.
  double squared_distance(const std::vector<Member>& members, const FitSpec& spec,
                          Progress& progress) const;

 private:
  /// Replaces members by k-means of the samples if those err less.
  void better_clusters(std::vector<Member>& members, std::vector<MassPoint>& points,
                       const FitSpec& spec, Progress& progress) const;

  std::vector<double> masses_;
  double mass_ = 0, squares_ = 0, peak_ = 0;
  SamplesView samples_;
  Symmetric3 kernel_;
  std::span<const double> own_kernels_;
  bool narrow_ = false;  ///< H is below a cell along some direction: sums over cells are rough
  MixtureProblem problem_;
};

/// Returns the logarithms of a mixture's density at points (3 doubles each), summed without a cut,
/// so that they are finite at any distance. Throws Error(cancelled).
std::vector<double> log_densities(const Mixture& mixture, std::span<const double> points,
                                  int threads, Progress& progress);

/// Returns the device that takes less time by its offer, or the given one. Throws Error(resources)
/// if it refuses.
Device fit_device(const MixtureProblem& problem, const std::vector<Member>& members,
                  const FitSpec& spec);

/// Moves members to less squared error over the cells, by Adam with rates that fall along a cosine
/// (Loshchilov and Hutter, 2017). From time to time it moves members to where the error is. Returns
/// what they reach, and the steps done.
FitFacts fit_by_gradient(const FitTarget& target, const FitSpec& spec, Device device,
                         std::vector<Member>& members, Progress& progress, const FitWatch& watch);

/// Moves members to more likelihood of the samples, by expectation-maximisation. Members that lose
/// their mass take half of the heaviest one's. Returns what they reach, and the steps done.
FitFacts fit_by_likelihood(const FitTarget& target, const FitSpec& spec, Device device,
                           std::vector<Member>& members, Progress& progress, const FitWatch& watch);

}  // namespace skde

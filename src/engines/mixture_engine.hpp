#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/mixture/member_steps.hpp"
#include "core/mixture/mixture.hpp"
#include "core/problem.hpp"
#include "core/report/progress.hpp"

namespace skde {

/// Where and how a mixture is summed.
struct MixtureProblem {
  Target target;  ///< the cells of a grid, or points such as samples
  Grid frame;     ///< defines the cells that members are measured in; the target if that is a grid
  /// The kernel's part of every covariance, in squared world units; positive definite.
  Symmetric3 kernel;
  double tolerance = 0;  ///< of the cut of Gaussians, as a share of the peak; 0: kDefaultTolerance
  Precision precision = Precision::f32;  ///< of the sums, the values and the cotangents
};

/// What an engine may change of its members after gather().
struct MixtureUpdate {
  bool maximises = false;  ///< expectation-maximisation; false: a step of Adam
  AdamStep adam{};
  double total_weight = 1;  ///< of the samples, for expectation-maximisation
};

/// The sums of K Gaussians m(g), and the way back: for cotangents c(g) = dL/dm(g), the moments from
/// which the derivatives of L by every mass, mean and covariance follow (gradient_of). Moments are
/// summed member by member: nothing is stored per pair, nothing is added by atomics, and the bits
/// are the same on every run. Members, values and cotangents stay where the engine works.
///
/// Masses are those of m in cells: m(g) is mass per cell. All functions may throw Error(resources)
/// and Error(cancelled).
class MixtureEngine {
 public:
  virtual ~MixtureEngine() = default;
  virtual void set_members(std::span<const Member> members) = 0;
  virtual std::vector<Member> members() = 0;

  /// Computes m at every cell or point.
  virtual void sum(Progress& progress) = 0;
  /// Returns m as sum() left it, x fastest or in the order of the points.
  virtual std::vector<double> values() = 0;

  /// Sets what cotangents are derived from: f at each cell, or the weight of each sample.
  virtual void set_given(std::span<const double> given) = 0;
  /// Derives the cotangents from the values and what is given.
  virtual void derive(CotangentRule rule) = 0;
  /// Returns the sum of the losses that derive() found.
  virtual double loss() = 0;
  /// Sets the cotangents, one for each value.
  virtual void set_cotangents(std::span<const double> cotangents) = 0;

  /// Sums the moments of every member over the cotangents.
  virtual void gather(Progress& progress) = 0;
  virtual std::vector<MemberMoments> moments() = 0;
  /// Moves the members by the gathered moments.
  virtual void update(const MixtureUpdate& update) = 0;
};

}  // namespace skde

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/cloud/samples.hpp"
#include "core/report/progress.hpp"
#include "engines/cpu/kernel_points.hpp"
#include "engines/cpu/ranges/box_tree.hpp"

namespace skde {

/// Mean shifts by pairs. Targets are sorted and cut into blocks, as in RangeReduction. A block sums
/// over the boxes of sources within a distance of it. What it leaves out is bounded box by box, and
/// a target whose sums are too small beside that bound is summed again over a greater distance, up
/// to 12 deviations. Sums of a block are in float, and in double at targets that need it.
class PairShifts {
 public:
  /// `threads` is 0 for one per core. Throws Error(input) if H is not positive definite.
  PairShifts(const Symmetric3& H, const SamplesView& sources, int threads);

  /// Returns the shifts as mean_shifts() says, within `error` deviations of the kernel. The
  /// progress counts points in the stage "shift".
  std::vector<double> at(std::span<const double> targets, double error, Progress& progress) const;

  /// Distance of a first pass, in deviations.
  static double first_reach(double error);
  /// Returns about how many pairs at() sums.
  double work(std::span<const double> targets, double error) const;
  const KernelSpace& space() const { return space_; }

  /// Bounds on what sums over a block's neighbours leave out.
  struct Far {
    double kernels = 0, moments = 0;
  };

 private:
  /// The sums of a target: kernels, and kernels times source minus target.
  struct Sums {
    double kernels = 0;
    Vec3 moments{};
    Far far{};
    /// True if the shift that follows is within `error`.
    bool suffice(double error) const;
    Vec3 shift() const;
  };
  /// Computes the shifts of some targets. Returns those whose sums have too few digits in Real.
  template <class Real>
  std::vector<std::size_t> pass(std::span<const double> targets, std::vector<std::size_t> waiting,
                                double error, std::span<double> shifts, Progress& progress) const;
  template <class Real>
  void sum_blocks(const KernelPoints& targets, double reach, std::span<Sums> sums,
                  Progress& progress) const;

  KernelSpace space_;
  KernelPoints sources_;
  BoxTree tree_;
  std::vector<double> weights_;  ///< shares of the heaviest, in the order of the sources
  BoxTree::Weights box_weights_;
  int threads_;
  bool chooses_threads_;  ///< small sums use fewer
};

}  // namespace skde

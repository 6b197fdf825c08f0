#pragma once

#include <cstdint>
#include <span>

#include "core/cloud/samples.hpp"
#include "core/kernel/kernel_work.hpp"
#include "core/kernel/mass_in_box.hpp"
#include "core/problem.hpp"

namespace skde {

/// What is found out about the samples of a part.
struct PartFindings {
  KernelWork work;   ///< on the whole grid, as some of them tell
  ThinCounts thin;   ///< whose kernels are widened
  MassInBox in_box;  ///< of the kernels, if that is wished for
};

/// Looks at samples on their way to an engine, for a problem: by blocks, so that the threads that
/// bring them do it while they have them at hand. Any threads may use it at once.
class PartStatistics {
 public:
  /// `mass`: what of the kernels is in the box is wished for.
  PartStatistics(const Problem& problem, const Boundaries& boundaries, bool mass);

  /// What is found out about a block of samples.
  struct Block {
    Moments moments;
    BoxMass::Sums mass;
    ThinCounts thin;
  };
  /// Adds to a block, of at most Moments::kBlock samples, what is more than their moments.
  void look_at(const SamplesView& points, Block& block) const;
  /// What a part comes to, given its blocks, on a few threads at the most.
  PartFindings sum_up(const SamplesView& points, std::span<const Block> blocks) const;
  /// The same of samples that nobody has looked at, on all threads.
  PartFindings look_at(const SamplesView& points) const;

 private:
  ThinCounts count_thin(const SamplesView& points) const;
  KernelWork count_some(const SamplesView& points, int threads) const;

  Problem problem_;
  bool wants_mass_;
  BoxMass mass_;
};

}  // namespace skde

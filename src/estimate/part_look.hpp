#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <span>

#include "core/kernel_work.hpp"
#include "core/mass_in_box.hpp"
#include "core/problem.hpp"
#include "core/samples.hpp"

namespace skde {

/// Samples whose kernels are thinner than the floor, on cells as they are, of half the edge, of a
/// quarter and so on.
struct ThinCounts {
  std::array<std::uint64_t, 8> on_cells{};

  std::uint64_t now() const { return on_cells[0]; }
  ThinCounts& operator+=(const ThinCounts& other) {
    std::ranges::transform(on_cells, other.on_cells, on_cells.begin(), std::plus<>());
    return *this;
  }
};

/// What is found out about the samples of a part.
struct PartFindings {
  KernelWork work;   ///< on the whole grid, as some of them tell
  ThinCounts thin;   ///< whose kernels are widened
  MassInBox in_box;  ///< of the kernels, if that is wished for
};

/// Looks at samples on their way to an engine, for a problem: by blocks, so that the threads that
/// bring them do it while they have them at hand. Any threads may use it at once.
class PartLook {
 public:
  /// `mass`: what of the kernels is in the box is wished for.
  PartLook(const Problem& problem, const Boundaries& boundaries, bool mass);

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

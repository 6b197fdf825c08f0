#pragma once

#include <optional>
#include <span>

#include "core/cloud/samples.hpp"
#include "core/kernel/kernel_work.hpp"
#include "core/kernel/mass_in_box.hpp"
#include "core/problem.hpp"

namespace skde {

/// Statistics of the samples of a part.
struct PartFindings {
  KernelWork work;   ///< on the whole grid, estimated from some of them; 0 if not counted
  ThinCounts thin;   ///< kernels that are widened
  MassInBox in_box;  ///< of the kernels, if requested
};

/// The samples of a cloud whose kernels may meet the faces of a box, kept for the next bandwidth:
/// all other kernels lie inside as a whole.
class FaceSamples {
 public:
  /// Returns what mass_in_box(mass, points) returns, to rounding. The points must not change before
  /// forget().
  MassInBox mass_in_box(const BoxMass& mass, const SamplesView& points, int threads);
  void forget() { *this = {}; }

 private:
  void keep(const SamplesView& points, const Box& deep);

  const double* points_ = nullptr;  ///< whose samples are kept
  std::size_t size_ = 0;
  Box deep_{};              ///< samples inside it are not kept
  double deep_weight_ = 0;  ///< of these
  Samples near_;            ///< all others, unless there are many
  bool has_near_ = false;
};

/// Gathers statistics of samples on their way to an engine, for a problem. They are gathered by
/// blocks, so that the threads that bring the samples can do it. Safe to use from several threads.
class PartStatistics {
 public:
  /// `mass`: whether to find the mass of the kernels in the box.
  PartStatistics(const Problem& problem, const Boundaries& boundaries, bool mass);

  /// Statistics of a block of samples.
  struct Block {
    Moments moments;
    BoxMass::Sums mass;
    ThinCounts thin;
  };
  /// Adds all statistics but the moments to a block of at most Moments::kBlock samples.
  void look_at(const SamplesView& points, Block& block) const;
  /// Returns the statistics of a part, given its blocks. Uses a few threads at most.
  PartFindings sum_up(const SamplesView& points, std::span<const Block> blocks) const;
  /// Returns the statistics of samples without any blocks, but not their work. Uses all threads.
  /// `faces` are those of the same samples, for one thread at a time; may be null.
  PartFindings look_at(const SamplesView& points, FaceSamples* faces) const;
  /// Returns the work of samples on the problem's grid, estimated from some of them, on so many
  /// threads (0: one per core). Takes one core some milliseconds.
  static KernelWork work_of(const Problem& problem, const SamplesView& points, int threads);
  /// The problem that the statistics are for.
  const Problem& problem() const { return problem_; }

 private:
  ThinCounts count_thin(const SamplesView& points) const;

  Problem problem_;
  std::optional<BoxMass> mass_;  ///< none if the mass is not wanted
};

}  // namespace skde

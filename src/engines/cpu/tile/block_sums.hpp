#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "engines/cpu/ranges/kernel_points.hpp"
#include "engines/cpu/ranges/pair_sums.hpp"

namespace skde {

/// What is summed over pairs of targets and sources.
struct PairWork {
  const KernelPoints& targets;
  const KernelPoints& sources;
  PairShape shape = PairShape::ball;
  PairTerm term = PairTerm::one;
  KernelFunction function{};
  double cut = 1;
  /// A number a source each, in the order that the sources have now.
  std::vector<std::vector<double>> channels{};

  /// Channels are summed so many at a time.
  std::size_t groups() const {
    constexpr std::size_t kTogether = PairSources<double>::kChannels;
    return (channels.size() + kTogether - 1) / kTogether;
  }
};

/// Sums a block of targets over ranges of sources: those of them that reach the block's box are
/// put together, at places relative to its middle, and summed for all its targets. Used by one
/// thread.
template <class Real>
class BlockSums {
 public:
  /// The work must outlive this.
  explicit BlockSums(const PairWork& work);

  /// sums_of(term) sums of every target, one group of channels after another; valid until the next
  /// call. At most PairTargets::kMost targets.
  const double* sum(const SampleRange& targets, std::span<const SampleRange> sources);
  /// Of a group's sums, those of target t of the block.
  static constexpr std::size_t kGroup = PairTargets<Real>::kMost * 4;

 private:
  struct Buffers {
    PairSources<Real> sources;
    PairTargets<Real> targets;
    std::array<std::size_t, PairSources<Real>::kMost> chosen;  ///< sources that are put together
  };

  void place_targets(const SampleRange& range);
  template <bool Shaped>
  void choose(const SampleRange& range);
  void add_chosen();

  const PairWork& work_;
  AddPairs<Real> add_;
  std::unique_ptr<Buffers> buffers_;
  std::vector<double> sums_;
  Box box_;
  Vec3 middle_;
  std::size_t count_ = 0;  ///< of the chosen
};

}  // namespace skde

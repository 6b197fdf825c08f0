#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engines/cpu/kernel_points.hpp"
#include "engines/cpu/pair_sums.hpp"

namespace skde {

/// What is summed over pairs of targets and sources.
struct PairWork {
  const KernelPoints& targets;
  const KernelPoints& sources;
  PairShape shape = PairShape::ball;
  PairTerm term = PairTerm::one;
  KernelFunction function{};
  double cut = 1;
  double reach = 1;  ///< distance from the targets' box up to which balls count as sources
  /// One array per channel: a number per source, in the current order of the sources.
  std::vector<std::vector<double>> channels{};

  /// Number of groups of channels. The channels of a group are summed together.
  std::size_t groups() const {
    constexpr std::size_t kTogether = PairSources<double>::kChannels;
    return (channels.size() + kTogether - 1) / kTogether;
  }
};

/// Sums ranges of sources at a block of targets. Sources that reach the block's box are gathered,
/// at places relative to its middle, and summed for all its targets. Used by one thread.
template <class Real>
class BlockSums {
 public:
  /// `work` must outlive this object.
  explicit BlockSums(const PairWork& work);

  /// Returns sums_of(term) sums per target, one group of channels after another. They are valid
  /// until the next call. `targets` holds at most PairTargets::kMost. Targets of sums by distance
  /// are sources, too, and their sums are binned().
  const double* sum(const SampleRange& targets, std::span<const SampleRange> sources);
  /// The same for balls of one channel. Adds the sum over the sources that do not count to
  /// `left_out`.
  const double* sum(const SampleRange& targets, std::span<const SampleRange> sources,
                    double& left_out);
  /// Returns the sums by distance of all calls: those of weighted distances, or for each bin the
  /// pairs and the sum of their offsets.
  const double* binned();
  /// Offset from the sums of one group to those of the next.
  static constexpr std::size_t kGroup = PairTargets<Real>::kMost * 4;

 private:
  static constexpr std::size_t kChunk = 64;  ///< sources whose distances are computed at once
  struct Buffers {
    PairSources<Real> sources;
    PairTargets<Real> targets;
    std::array<std::size_t, PairSources<Real>::kMost + kChunk> chosen;  ///< sources found
  };

  void place_targets(const SampleRange& range);
  void begin(const SampleRange& targets);
  const double* end();
  template <bool Shaped, bool Weighs = false>
  double choose(const SampleRange& range);
  void add_chosen(std::size_t count);
  void unpack();

  const PairWork& work_;
  AddPairs<Real> add_;
  std::unique_ptr<Buffers> buffers_;
  std::vector<double> sums_, unpacked_;
  std::uint64_t packed_ = 0;  ///< pairs
  Box box_;
  Vec3 middle_;
  std::size_t count_ = 0;  ///< of sources found
};

}  // namespace skde

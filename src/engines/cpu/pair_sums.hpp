#pragma once

#include <cstddef>
#include <cstdint>

#include "core/kernel/ellipsoid.hpp"
#include "core/kernel/kernel_function.hpp"

namespace skde {

/// The coefficients of q of several ellipsoids, one array each.
template <class Real, std::size_t Count>
struct EllipsoidColumns {
  alignas(64) Real inv_sx[Count], inv_sy[Count], inv_sz[Count], bxy[Count], bxz[Count], bzy[Count];

  void put(std::size_t at, const Ellipsoid<double>& e) {
    inv_sx[at] = static_cast<Real>(e.inv_sx);
    inv_sy[at] = static_cast<Real>(e.inv_sy);
    inv_sz[at] = static_cast<Real>(e.inv_sz);
    bxy[at] = static_cast<Real>(e.bxy);
    bxz[at] = static_cast<Real>(e.bxz);
    bzy[at] = static_cast<Real>(e.bzy);
  }
};

/// Sources that a block of targets may see, at places relative to the block, padded to whole
/// vectors by sources whose channels are 0. Aligned to a cache line, so that sums have the same
/// bits wherever the memory lies.
template <class Real>
struct PairSources {
  static constexpr std::size_t kMost = 256, kVector = 16, kChannels = 4;

  alignas(64) Real x[kMost], y[kMost], z[kMost];
  alignas(64) Real channels[kChannels][kMost];
  EllipsoidColumns<Real, kMost> ellipsoids;
  std::size_t vectors = 0;  ///< of kVector sources each
};

/// A block of targets, padded to a multiple of kTogether.
template <class Real>
struct PairTargets {
  static constexpr std::size_t kMost = 64, kTogether = 4;

  alignas(64) Real x[kMost], y[kMost], z[kMost];
  alignas(64) Real channels[2][kMost];  ///< as those of sources; for distances only
  std::size_t count = 0;
};

/// The kernel of a pair is a `ball` that all samples share, or the ellipsoid of its source.
enum class PairShape : std::uint8_t { ball, sources };
/// The sums over pairs. `one` and `four` sum so many channels; `gradient` sums the gradient of one.
/// `shift` sums uncut Gaussians of deviation 1, with their weights in one channel, and the same
/// Gaussians times target minus source. `distances` counts pairs by bins of their distance, and
/// `weighted_distances` sums their weights by bins: see PairBins.
enum class PairTerm : std::uint8_t { one, four, gradient, shift, distances, weighted_distances };

inline constexpr std::size_t sums_of(PairTerm term) {
  switch (term) {
    case PairTerm::four:
    case PairTerm::shift:
    case PairTerm::weighted_distances:
      return 4;
    case PairTerm::gradient:
      return 3;
    default:
      return 1;
  }
}

/// True for sums by the distance of a pair, not by its target.
inline constexpr bool is_binned(PairTerm term) {
  return term == PairTerm::distances || term == PairTerm::weighted_distances;
}

/// The bits of a sum that is an integer: of each pair, kPair and how many of the bin's kSteps it is
/// from its begin.
struct PackedPairs {
  static constexpr std::uint32_t kSteps = 256;
  static constexpr std::uint64_t kPair = std::uint64_t{1} << 40, kMost = 1 << 24;  ///< pairs
};

/// Adds k(q) times the channels of all sources to the sums_of(term) sums of every target. k is the
/// kernel row's profile without its constant, cut where sqrt(q) is `cut`. Gradients take the row of
/// the derivative and add half of the gradient. For distances, `cut` is the number of bins in a
/// unit, there are twice as many, and the sums are theirs, as PackedPairs. Weighted distances have
/// four sums a bin: of w w', of this times the offset from the bin's begin in widths of bins, and
/// the same for w w' (g + g'), where channels hold w and g.
template <class Real>
using AddPairs = void (*)(const PairSources<Real>& sources, const PairTargets<Real>& targets,
                          double cut, double* sums);

/// Returns the version compiled for the best of AVX-512, AVX2 and any CPU that this machine runs.
/// Returns null if the combination is not supported: float sums are of one channel or a shift
/// and the ball; sums of distances are in double.
template <class Real>
AddPairs<Real> pair_sums(KernelFunction function, PairShape shape, PairTerm term);

}  // namespace skde

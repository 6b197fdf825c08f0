#pragma once

#include <cstddef>
#include <cstdint>

#include "core/kernel/ellipsoid.hpp"
#include "core/kernel/kernel_function.hpp"

namespace skde {

/// The numbers of an ellipsoid that q takes.
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

/// Some sources that a block of targets may see, at places relative to it, padded by sources of
/// channels 0 to whole vectors. Beginning at a cache line, so that sums have the same bits wherever
/// memory lies.
template <class Real>
struct PairSources {
  static constexpr std::size_t kMost = 256, kVector = 16, kChannels = 4;

  alignas(64) Real x[kMost], y[kMost], z[kMost];
  alignas(64) Real channels[kChannels][kMost];
  EllipsoidColumns<Real, kMost> ellipsoids;
  std::size_t vectors = 0;  ///< of kVector sources
};

/// A block of targets, padded to a multiple of kTogether.
template <class Real>
struct PairTargets {
  static constexpr std::size_t kMost = 64, kTogether = 4;

  alignas(64) Real x[kMost], y[kMost], z[kMost];
  EllipsoidColumns<Real, kMost> ellipsoids;
  std::size_t count = 0;
};

/// Whose the ellipsoid of a pair is: the ball of all, its source's or its target's.
enum class PairShape : std::uint8_t { ball, sources, targets };
/// What is summed: one channel, four of them, or the gradient of one; the kernel and its
/// convolution with itself, of a Gaussian as one of height 1; or of a Gaussian the second power of
/// the Laplacian or the third times -1, where its deviation is 1.
enum class PairTerm : std::uint8_t { one, four, gradient, convolved, laplacian_2, laplacian_3 };

inline constexpr std::size_t sums_of(PairTerm term) {
  switch (term) {
    case PairTerm::four:
      return 4;
    case PairTerm::gradient:
      return 3;
    case PairTerm::convolved:
      return 2;
    default:
      return 1;
  }
}

/// Adds k(q) times the channels of all sources to the sums_of(term) sums of every target: the
/// profile is that of the row, cut where the root of q is `cut`, without its constant; and of
/// gradients half of them, where the row is that of the derivative.
template <class Real>
using AddPairs = void (*)(const PairSources<Real>& sources, const PairTargets<Real>& targets,
                          double cut, double* sums);

/// Compiled for AVX-512, AVX2 and any CPU; the best that this machine has. Float sums are of one
/// channel and the ball, gradients not of ellipsoids that are the targets', and convolutions and
/// Laplacians of the ball alone: else null.
template <class Real>
AddPairs<Real> pair_sums(KernelFunction function, PairShape shape, PairTerm term);

}  // namespace skde

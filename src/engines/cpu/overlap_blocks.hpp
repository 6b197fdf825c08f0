#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/kernel/ellipsoid.hpp"
#include "engines/cpu/z_order.hpp"

namespace skde {

/// Cuts the samples of a slice into blocks of which at most 4 kMostInBin kernels reach any cell.
/// Adding up blocks first, and then their sums, keeps digits that one long sum would lose. With
/// floats the error stays below 2e-5 of a sum of hundreds of thousands of kernels in one place.
template <class Real>
class OverlapBlocks {
 public:
  static constexpr std::uint32_t kMostInBin = 450;

  OverlapBlocks(const Ellipsoid<Real>& ellipsoid, std::int32_t nx, std::int32_t ny);

  static double bytes(const Ellipsoid<Real>& ellipsoid, std::int32_t nx, std::int32_t ny);

  /// Returns how many samples, from the first on, form the next block: at least 1 if there are any.
  std::size_t next(std::span<const SliceSample<Real>> samples);

 private:
  /// The bins along an axis are as wide as a kernel, so that two of them at most reach a cell.
  struct Axis {
    Real per_cell = 0, shift = 0;
    std::int32_t bins = 1;

    Axis(Real reach, std::int32_t cells);
    std::int32_t bin_of(std::int32_t cell) const;
  };

  Axis x_, y_;
  std::vector<std::uint32_t> counts_;
};

}  // namespace skde

#include "engines/cpu/overlap_blocks.hpp"

#include <algorithm>

namespace skde {

template <class Real>
OverlapBlocks<Real>::Axis::Axis(Real reach, std::int32_t cells) {
  constexpr Real kNarrowest = 8;  // limits the number of bins for small kernels
  const auto side = static_cast<Real>(cells);
  // Samples lie in the grid, or outside by up to a kernel's reach and half a cell.
  const Real outside = std::min(reach, side) + 1;
  const Real width = std::max(2 * outside, kNarrowest);
  per_cell = 1 / width;
  shift = outside;
  bins = static_cast<std::int32_t>((side + 2 * outside) * per_cell) + 1;
}

template <class Real>
std::int32_t OverlapBlocks<Real>::Axis::bin_of(std::int32_t cell) const {
  const Real bin = (static_cast<Real>(cell) + shift) * per_cell;
  return static_cast<std::int32_t>(std::clamp(bin, Real(0), static_cast<Real>(bins - 1)));
}

template <class Real>
OverlapBlocks<Real>::OverlapBlocks(const Ellipsoid<Real>& ellipsoid, std::int32_t nx,
                                   std::int32_t ny)
    : x_(ellipsoid.rx, nx),
      y_(ellipsoid.ry, ny),
      counts_(static_cast<std::size_t>(x_.bins) * static_cast<std::size_t>(y_.bins)) {}

template <class Real>
double OverlapBlocks<Real>::bytes(const Ellipsoid<Real>& ellipsoid, std::int32_t nx,
                                  std::int32_t ny) {
  return static_cast<double>(Axis(ellipsoid.rx, nx).bins) * Axis(ellipsoid.ry, ny).bins *
         sizeof(std::uint32_t);
}

template <class Real>
std::size_t OverlapBlocks<Real>::next(std::span<const SliceSample<Real>> samples) {
  if (samples.size() <= 4 * std::size_t{kMostInBin}) return samples.size();
  std::ranges::fill(counts_, 0u);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto bin = static_cast<std::size_t>(y_.bin_of(samples[i].cell[1])) *
                         static_cast<std::size_t>(x_.bins) +
                     static_cast<std::size_t>(x_.bin_of(samples[i].cell[0]));
    if (++counts_[bin] > kMostInBin) return i;
  }
  return samples.size();
}

template class OverlapBlocks<float>;
template class OverlapBlocks<double>;

}  // namespace skde

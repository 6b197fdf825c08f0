#pragma once

#include <cstdint>

#include "core/kernel/ellipsoid.hpp"
#include "kernels/span/coarse_sort.hpp"
#include "kernels/span/row_spans.hpp"
#include "kernels/span/span_polynomial.cuh"
#include "kernels/span/span_tiles.cuh"

/// Samples in the frame of a tile, in which they are culled and their spans are found.
namespace skde::kernels {

/// The fixed-point 1 of a sample in each plane, integers. There is one plane if weights are 1 or
/// words are wide, otherwise two (TileScale).
template <class Real, int Planes>
struct PlaneUnits {
  Real of[Planes];
};

/// A sample in cells: x from the middle of the tile, where float is finest, and y and z from its
/// first row.
template <class Real, int Planes>
struct TileSample {
  Real x, y, z;
  PlaneUnits<Real, Planes> units;
};

/// Returns the fixed-point 1 of a sample of this weight.
template <int Planes>
__device__ inline PlaneUnits<float, Planes> units_of(float weight, const TileScale& scale) {
  const auto one = static_cast<float>(scale.one);
  if constexpr (Planes == 1) {
    return {one};
  } else {
    const float all = one * weight, whole = floorf(all);
    return {whole, rintf((all - whole) * static_cast<float>(scale.finer))};
  }
}

template <int Planes>
__device__ inline PlaneUnits<double, Planes> units_of(double weight, const TileScale& scale) {
  return {rint(scale.one * weight)};
}

/// Converts a sample to the tile's frame. `unit` is the last bit of a fixed-point position.
template <int Planes>
__device__ inline TileSample<float, Planes> to_tile(const FixedSample& s, const SpanPlan& plan,
                                                    const Tile& tile, float unit,
                                                    const TileScale& scale) {
  const auto relative = [&](std::int32_t fixed, std::int32_t cell) {
    return static_cast<float>(static_cast<std::int32_t>(
               static_cast<std::uint32_t>(fixed) -
               (static_cast<std::uint32_t>(cell) << plan.fraction_bits))) *
           unit;
  };
  return {relative(s.x, tile.x + plan.width / 2), relative(s.y, tile.y), relative(s.z, tile.z),
          units_of<Planes>(s.weight, scale)};
}

template <int Planes>
__device__ inline TileSample<double, Planes> to_tile(const PreciseSample& s, const SpanPlan& plan,
                                                     const Tile& tile, double /*unit*/,
                                                     const TileScale& scale) {
  return {s.x - (tile.x + plan.width / 2), s.y - tile.y, s.z - tile.z,
          units_of<Planes>(s.weight, scale)};
}

/// A place in a frame in which spans follow from differences alone. Between a sample and a row's
/// reference cell, the span is centred at the difference of `x`; its squared half width is sx^2
/// minus the squares of the differences of `v1` and `v2`.
template <class Real>
struct alignas(16) SpanFrame {
  Real v1, v2, x;
  Real unit;  ///< a sample's fixed-point 1 in the first plane; 0 for a row
};

/// Returns the frame of (y, z). A sample's `x` is relative to its regression on y and z.
template <class Real>
__device__ inline SpanFrame<Real> frame_of_row(const Ellipsoid<Real>& e, Real y, Real z) {
  return {e.sx * e.inv_sy * (y - e.bzy * z), e.sx * e.inv_sz * z, e.bxy * y + e.bxz * z, Real(0)};
}

template <class Real, int Planes>
__device__ inline SpanFrame<Real> frame_of_sample(const Ellipsoid<Real>& e,
                                                  const TileSample<Real, Planes>& s) {
  SpanFrame<Real> frame = frame_of_row(e, s.y, s.z);
  frame.x = s.x - frame.x;
  frame.unit = s.units.of[0];
  return frame;
}

/// Returns the distance from 0 to the interval [low, high].
template <class Real>
__device__ inline Real gap(Real low, Real high) {
  return fmax(fmax(low, -high), Real(0));
}

/// Returns false if no cell of the tile is inside the kernel. It uses a lower bound of q: the sum
/// of the minima of its three terms over the tile.
template <class Real, int Planes>
__device__ inline bool may_reach(const TileSample<Real, Planes>& s, const Ellipsoid<Real>& e,
                                 int width) {
  const Real z0 = -s.z, z1 = Real(kTileRowsZ - 1) - s.z;
  const Real y0 = -s.y, y1 = Real(kTileRowsY - 1) - s.y;
  const Real x0 = Real(-(width / 2)) - s.x, x1 = Real(width / 2 - 1) - s.x;
  const Real u2 = gap(z0, z1) * e.inv_sz;
  const Real yz0 = e.bzy * z0, yz1 = e.bzy * z1;
  const Real u1 = gap(y0 - fmax(yz0, yz1), y1 - fmin(yz0, yz1)) * e.inv_sy;
  const Real xy0 = e.bxy * y0, xy1 = e.bxy * y1, xz0 = e.bxz * z0, xz1 = e.bxz * z1;
  const Real u0 =
      gap(x0 - fmax(xy0, xy1) - fmax(xz0, xz1), x1 - fmin(xy0, xy1) - fmin(xz0, xz1)) * e.inv_sx;
  return u0 * u0 + u1 * u1 + u2 * u2 < Real(1);
}

}  // namespace skde::kernels

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/space/space.hpp"

namespace skde {

/// A space-filling curve through a cube of 2^21 cells a side.
enum class Curve { morton, hilbert };

/// Bits of a code along each axis, and in all.
inline constexpr int kCurveBits = 21, kCodeBits = 3 * kCurveBits;

/// Returns the smallest box that holds all points, (N,3) row by row. Throws Error(input) that names
/// the first row (from 0) with a coordinate that is not finite, or if there is none.
Box box_of(std::span<const double> xyz);

/// Returns the place along the curve of the cell in which each point lies, below 2^63. The box is
/// cut into 2^21 equal cells along each axis; an axis of no extent has one. A point on the upper
/// face is in the last cell. Morton codes interleave the bits, z first; Hilbert codes follow
/// Skilling (Programming the Hilbert curve, AIP Conf. Proc. 707, 2004).
std::vector<std::uint64_t> curve_codes(std::span<const double> xyz, const Box& box, Curve curve);
/// The same on the calling thread alone, into the caller's memory, one code for each point.
void write_curve_codes(std::span<const double> xyz, const Box& box, Curve curve,
                       std::span<std::uint64_t> codes);

}  // namespace skde

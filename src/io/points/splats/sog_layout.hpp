#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace skde::io {

// SOG, version 2: PlayCanvas's developer documentation, "The SOG Format", and where it leaves room
// the reader of @playcanvas/splat-transform. A pixel is a splat, in rows from the top left.

/// Rows of the palette of harmonics are this many entries long.
inline constexpr std::size_t kPaletteRow = 64;
inline constexpr std::size_t kMostPalette = 65536;
/// The fourth byte of a quaternion is this plus the index (w, x, y, z) of the part left out.
inline constexpr std::uint8_t kFirstQuaternionTag = 252;
/// The parts that the first three bytes hold, by the index of the one that is left out.
inline constexpr std::array<std::array<std::size_t, 3>, 4> kKeptParts{
    {{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}}};
/// Opacities in eight bits are read as between this and 1 minus it.
inline constexpr double kLeastSogOpacity = 1e-6;

/// sign(x) ln(1 + |x|), in which coordinates have equal steps, and its inverse.
inline double to_sog_coordinate(double x) { return std::copysign(std::log1p(std::abs(x)), x); }
inline double from_sog_coordinate(double v) { return std::copysign(std::expm1(std::abs(v)), v); }

}  // namespace skde::io

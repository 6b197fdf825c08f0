#include "order/curve_codes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/report/error.hpp"

namespace skde {
namespace {

constexpr std::uint32_t kCells = std::uint32_t{1} << kCurveBits;
using Cell = std::array<std::uint32_t, 3>;

/// Moves bit i of a number of 21 bits to bit 3 i.
std::uint64_t spread(std::uint64_t bits) {
  bits = (bits | bits << 32) & 0x001f00000000ffffu;
  bits = (bits | bits << 16) & 0x001f0000ff0000ffu;
  bits = (bits | bits << 8) & 0x100f00f00f00f00fu;
  bits = (bits | bits << 4) & 0x10c30c30c30c30c3u;
  return (bits | bits << 2) & 0x1249249249249249u;
}

/// Turns a cell into the numbers whose bits, interleaved, are its place along the Hilbert curve.
Cell transposed_hilbert(Cell cell) {
  for (std::uint32_t bit = kCells >> 1; bit > 1; bit >>= 1) {
    const std::uint32_t below = bit - 1;
    for (std::uint32_t& part : cell) {
      if ((part & bit) != 0) {
        cell[0] ^= below;
      } else {
        const std::uint32_t swapped = (cell[0] ^ part) & below;
        cell[0] ^= swapped;
        part ^= swapped;
      }
    }
  }
  cell[1] ^= cell[0];
  cell[2] ^= cell[1];
  std::uint32_t flips = 0;
  for (std::uint32_t bit = kCells >> 1; bit > 1; bit >>= 1)
    if ((cell[2] & bit) != 0) flips ^= bit - 1;
  for (std::uint32_t& part : cell) part ^= flips;
  return cell;
}

}  // namespace

Box box_of(std::span<const double> xyz) {
  if (xyz.empty()) throw Error(ErrorKind::input, "there are no points to put in order");
  constexpr double kFar = std::numeric_limits<double>::infinity();
  Box box{{kFar, kFar, kFar}, {-kFar, -kFar, -kFar}};
  for (std::size_t i = 0; i < xyz.size(); ++i) {
    if (!std::isfinite(xyz[i]))
      throw Error(ErrorKind::input,
                  fmt::format("row {} has a coordinate that is not finite", i / 3 + 1),
                  {{}, "remove this row, as it has no place in the order"});
    const int axis = static_cast<int>(i % 3);
    box.lower[axis] = std::min(box.lower[axis], xyz[i]);
    box.upper[axis] = std::max(box.upper[axis], xyz[i]);
  }
  return box;
}

std::vector<std::uint64_t> curve_codes(std::span<const double> xyz, const Box& box, Curve curve) {
  std::array<double, 3> scale{};
  for (int axis = 0; axis < 3; ++axis) {
    const double extent = box.upper[axis] - box.lower[axis];
    if (extent > 0) scale[static_cast<std::size_t>(axis)] = kCells / extent;
  }
  std::vector<std::uint64_t> codes(xyz.size() / 3);
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < codes.size(); ++i) {
    Cell cell{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double along = (xyz[3 * i + axis] - box.lower[static_cast<int>(axis)]) * scale[axis];
      cell[axis] = static_cast<std::uint32_t>(std::clamp(along, 0.0, kCells - 1.0));
    }
    if (curve == Curve::hilbert) {
      cell = transposed_hilbert(cell);
      codes[i] = spread(cell[0]) << 2 | spread(cell[1]) << 1 | spread(cell[2]);
    } else {
      codes[i] = spread(cell[2]) << 2 | spread(cell[1]) << 1 | spread(cell[0]);
    }
  }
  return codes;
}

}  // namespace skde

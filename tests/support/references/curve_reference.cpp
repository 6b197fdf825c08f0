#include "support/references/curve_reference.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace skde::test {
namespace {

constexpr int kLevels = 21;
using Cell = std::array<std::uint64_t, 3>;

Cell cell_of(std::span<const double> point, const Box& box) {
  Cell cell{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double lower = box.lower[static_cast<int>(axis)];
    const double extent = box.upper[static_cast<int>(axis)] - lower;
    if (extent == 0) continue;
    const double place = std::floor((point[axis] - lower) / extent * (1 << kLevels));
    cell[axis] = static_cast<std::uint64_t>(std::min(place, double{(1 << kLevels) - 1}));
  }
  return cell;
}

std::uint64_t morton(const Cell& cell) {
  std::uint64_t code = 0;
  for (int level = kLevels - 1; level >= 0; --level)
    for (const std::size_t axis : {2, 1, 0}) code = 2 * code + (cell[axis] >> level & 1);
  return code;
}

/// Walks from the whole cube to the cell. A half cube is entered through a turned and mirrored copy
/// of the curve: `axes` and `mirrored` say how. The bits found on the way are a Gray code.
std::uint64_t hilbert(const Cell& cell) {
  std::array<std::size_t, 3> axes{0, 1, 2};
  std::array<bool, 3> mirrored{};
  std::uint64_t code = 0;
  bool parity = false;
  for (int level = kLevels - 1; level >= 0; --level)
    for (std::size_t i = 0; i < 3; ++i) {
      const bool upper = ((cell[axes[i]] >> level & 1) != 0) != mirrored[i];
      parity = parity != upper;
      code = 2 * code + (parity ? 1 : 0);
      // Deeper levels see the change; at this level, axis i was read already, but axis 0 of the
      // others is not asked for again.
      if (level == 0) continue;
      if (upper) {
        mirrored[0] = !mirrored[0];
      } else {
        std::swap(axes[0], axes[i]);
        std::swap(mirrored[0], mirrored[i]);
      }
    }
  return code;
}

}  // namespace

std::vector<std::uint64_t> reference_codes(std::span<const double> xyz, const Box& box,
                                           bool along_hilbert) {
  std::vector<std::uint64_t> codes;
  for (std::size_t i = 0; i < xyz.size(); i += 3) {
    const Cell cell = cell_of(xyz.subspan(i, 3), box);
    codes.push_back(along_hilbert ? hilbert(cell) : morton(cell));
  }
  return codes;
}

}  // namespace skde::test

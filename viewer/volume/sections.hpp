#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "core/report/words.hpp"
#include "core/space/grid.hpp"

namespace skde::view {

/// Whether the three sections stand in the volume: within it, or without what is around them.
enum class SectionsShown { off, within, alone };

inline constexpr Words<SectionsShown, 3> kSectionsShown{{{"off", SectionsShown::off},
                                                         {"within", SectionsShown::within},
                                                         {"alone", SectionsShown::alone}}};

/// Three orthogonal sections of the volume, which meet at a place: what users call slices. (The
/// method's slices are those of one sample.)
struct Sections {
  SectionsShown shown = SectionsShown::off;  ///< in the volume
  std::optional<Vec3> at{};                  ///< world units; none: the middle of the box
  bool smooth = false;  ///< interpolates between cells; else each cell has its own value's colour
  /// Samples this near to a section are drawn over its picture: a share of the box's edge.
  double near = 0.02;

  /// Returns where the sections meet in the box of a grid.
  Vec3 place(const Grid& grid) const;
  friend bool operator==(const Sections&, const Sections&) = default;
};

/// Returns the cell in whose layer the section across an axis lies.
inline std::int64_t section_cell(const Grid& grid, Vec3 at, int axis) {
  const double cells = (at[axis] - grid.lower[axis]) / grid.spacing[axis];
  const std::int64_t most = grid.dims[static_cast<std::size_t>(axis)] - 1;
  return std::clamp(static_cast<std::int64_t>(std::floor(cells)), std::int64_t{0}, most);
}

inline Vec3 Sections::place(const Grid& grid) const {
  const Box box = grid.bounds();
  if (!at) return box.centre();
  Vec3 inside = *at;
  for (int axis = 0; axis < 3; ++axis)
    inside[axis] = std::clamp(inside[axis], box.lower[axis], box.upper[axis]);
  return inside;
}

}  // namespace skde::view

#pragma once

#include <functional>

#include "viewer/layers/method/method_look.hpp"
#include "viewer/layers/method/sample_slices.hpp"

namespace skde::view {

/// Returns the colour of a value of the kernel, 0..1.
inline glm::vec3 value_color(const MethodLook& look, double value) {
  const Rgb color = map_rgb(look.colors, value);
  return {color.red, color.green, color.blue};
}

/// A block of cells of a slice with one colour, in cells.
struct CellBlock {
  glm::ivec2 lower, upper;
  double value;  ///< the kernel's, at the block's middle
};

/// Calls `draw` with blocks of `side` cells that cover the cells of a slice inside the kernel; with
/// side 1, with each of these cells.
void for_inside_cells(const SampleSlices& slices, const SampleSlice& slice, int side,
                      const std::function<void(const CellBlock&)>& draw);

}  // namespace skde::view

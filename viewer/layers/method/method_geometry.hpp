#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <glm/glm.hpp>
#include <optional>
#include <string>
#include <vector>

#include "pictures/color_map.hpp"
#include "viewer/layers/method/sample_slices.hpp"
#include "viewer/layers/space/camera.hpp"

// Geometry of the method view. Positions are in cells from the grid's lower corner: cell (i, j, k)
// fills [i, i + 1) x [j, j + 1) x [k, k + 1), and slice k is drawn at k + 0.5. A slice face on has
// square cells, whatever their world units, because chop and crop only know cells; stacks have the
// proportions of the volume.

namespace skde::view {

/// Colours of the method view (sRGB, 0..1).
struct MethodColors {
  glm::vec3 ground;
  glm::vec3 ink;        ///< texts, the kernel's outline and axes
  glm::vec3 quiet;      ///< edges of the grid and of slices
  glm::vec3 full;       ///< cells that would be evaluated without crop
  glm::vec3 evaluated;  ///< cells outside the kernel that crop keeps
  glm::vec3 chosen;     ///< edges of what crop keeps of the chosen slice
  glm::vec3 sample;
};

inline constexpr glm::vec3 kMethodBackground{20 / 255.F, 23 / 255.F, 28 / 255.F};
inline constexpr MethodColors kDarkMethod{
    kMethodBackground,     {0.90F, 0.92F, 0.94F}, {0.46F, 0.50F, 0.55F}, {0.22F, 0.24F, 0.27F},
    {0.40F, 0.43F, 0.47F}, {1.00F, 0.62F, 0.18F}, {0.92F, 0.26F, 0.30F}};
inline constexpr MethodColors kLightMethod{{1, 1, 1},
                                           {0.10F, 0.11F, 0.13F},
                                           {0.52F, 0.55F, 0.58F},
                                           {0.91F, 0.92F, 0.93F},
                                           {0.76F, 0.78F, 0.80F},
                                           {0.74F, 0.33F, 0.00F},
                                           {0.80F, 0.10F, 0.15F}};

/// Settings of the method view.
struct MethodLook {
  std::optional<std::int32_t> slice;  ///< of the grid; the sample's nearest if unset or outside
  /// Which part the views are fitted to, for a smooth change. 0: the kernel; 1: the whole grid.
  float full_share = 0;
  std::array<std::string, 3> axes{"x", "y", "z"};  ///< names
  /// Edges of a cell in the stacks, in any unit; negative along axes that are flipped.
  glm::dvec3 cell{1};
  double apart = 1;  ///< distance of the stacks' slices, relative to the true one
  ColorMap colors = ColorMap::viridis;  ///< of the kernel's values
  bool light = false;                   ///< dark shapes on white
  /// Camera of the stacks. Their scene is centred on the box that they are fitted to, whose
  /// bounding sphere has radius 1.
  Camera camera;

  const MethodColors& theme() const { return light ? kLightMethod : kDarkMethod; }
};

/// A box in cells.
struct CellBox {
  glm::dvec3 lower, upper;

  glm::dvec3 centre() const { return 0.5 * (lower + upper); }
  double radius() const { return 0.5 * glm::length(upper - lower); }
};

CellBox grid_box(const SampleSlices& slices);

/// Returns the box that the views are fitted to: the cropped ranges of all slices, so that the
/// scale stays the same from slice to slice, and `around` times their extent on each side along x
/// and y, as far as the grid reaches. It grows to the whole grid with full_share. It is the whole
/// grid if the kernel reaches no cell.
CellBox fitted_box(const SampleSlices& slices, float full_share, double around = 0);

glm::dvec3 sample_position(const SampleSlices& slices);

/// Returns the index into slices.slices of the slice that the look chooses.
std::size_t chosen_slice(const SampleSlices& slices, const MethodLook& look);

/// Maps between a slice seen face on (x to the right, y upwards) and a picture of `size` pixels,
/// whose pixels grow rightwards and downwards. The slice is fitted with a margin for labels.
class FaceFrame {
 public:
  FaceFrame(const CellBox& fitted, glm::ivec2 size, float label_scale);

  glm::dvec2 to_pixel(glm::dvec2 cell) const;
  glm::dvec2 to_cell(glm::dvec2 pixel) const;
  double pixels_per_cell() const { return pixels_per_cell_; }

 private:
  glm::dvec2 centre_, size_;
  double pixels_per_cell_;
};

/// A stack as the look's camera sees it, in a picture of `size` pixels. `cell` are the edges of a
/// cell: see MethodLook.
class StackFrame {
 public:
  StackFrame(const CellBox& fitted, glm::dvec3 cell, const Camera& camera, glm::ivec2 size);

  /// Returns the eye, in cells.
  glm::dvec3 eye() const { return centre_ + perspective_.eye() / unit_; }
  /// Returns the pixel of a position in cells; nothing behind the eye.
  std::optional<glm::dvec2> to_pixel(glm::dvec3 cell) const;
  const Perspective& perspective() const { return perspective_; }

 private:
  glm::dvec3 centre_, unit_;  // scene units a cell
  Perspective perspective_;
};

/// Returns the ellipse in which the plane at height `z` cuts the kernel, as a closed curve with x
/// and y in cells; empty if they do not meet.
std::vector<glm::dvec3> cut_ellipse(const SampleSlices& slices, double z);
/// Returns the kernel's outline as seen from `eye` (in cells), closed; empty if the eye is inside.
std::vector<glm::dvec3> kernel_outline(const SampleSlices& slices, glm::dvec3 eye);

/// The ends of an axis of an ellipse or an ellipsoid, in cells.
using AxisEnds = std::array<glm::dvec3, 2>;
/// Returns the principal axes of the kernel, in cells, the shortest first.
std::array<AxisEnds, 3> kernel_axes(const SampleSlices& slices);
/// Returns the principal axes of cut_ellipse(); none if the plane misses the kernel.
std::vector<AxisEnds> ellipse_axes(const SampleSlices& slices, double z);

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

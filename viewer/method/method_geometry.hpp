#pragma once

#include <glm/glm.hpp>
#include <vector>

#include "viewer/method/method_look.hpp"
#include "viewer/method/sample_slices.hpp"

// Geometry of the method view. Positions are in cells from the grid's lower corner: cell (i, j, k)
// fills [i, i + 1) x [j, j + 1) x [k, k + 1), and slice k is drawn at k + 0.5. Cells are drawn as
// cubes, whatever their world units, because chop and crop only know cells.
namespace skde::view {

/// A box in cells.
struct CellBox {
  glm::dvec3 lower, upper;

  glm::dvec3 centre() const { return 0.5 * (lower + upper); }
  double radius() const { return 0.5 * glm::length(upper - lower); }
};

/// Returns the box that the views are fitted to: the cropped ranges of all slices, so that the
/// scale stays the same from slice to slice. It grows to the whole grid with full_share. It is the
/// whole grid if the kernel reaches no cell.
CellBox fitted_box(const SampleSlices& slices, float full_share);

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
  glm::dmat4 to_clip() const;

 private:
  glm::dvec2 centre_, size_;
  double pixels_per_cell_;
};

/// The stack as the look's camera sees it, in a picture of `size` pixels.
class StackFrame {
 public:
  StackFrame(const CellBox& fitted, const Camera& camera, glm::ivec2 size);

  /// Returns the eye, in cells.
  glm::dvec3 eye() const { return centre_ + radius_ * perspective_.eye(); }
  std::optional<glm::dvec2> to_pixel(glm::dvec3 cell) const;
  /// Returns the scale at a position in cells; 0 behind the eye.
  double pixels_per_cell(glm::dvec3 cell) const;
  glm::dmat4 to_clip() const;
  const Perspective& perspective() const { return perspective_; }

 private:
  glm::dvec3 centre_;
  double radius_;
  Perspective perspective_;
};

/// Returns the ellipse in which the plane at height `z` cuts the kernel, as a closed curve with x
/// and y in cells; empty if they do not meet.
std::vector<glm::dvec3> cut_ellipse(const SampleSlices& slices, double z);
/// Returns the kernel's outline as seen from `eye` (in cells), closed; empty if the eye is inside.
std::vector<glm::dvec3> kernel_outline(const SampleSlices& slices, glm::dvec3 eye);

}  // namespace skde::view

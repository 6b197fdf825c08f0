#pragma once

#include <glm/glm.hpp>
#include <vector>

#include "viewer/method/method_look.hpp"
#include "viewer/method/sample_slices.hpp"

// Where the method view puts things. Its positions are in cells measured from the grid's lower
// corner: cell (i, j, k) fills [i, i + 1) x [j, j + 1) x [k, k + 1), and slice k is drawn at k +
// 0.5. A cell is a cube there, whatever its world units, as chop and crop only know cells.
namespace skde::view {

/// A box in these positions.
struct CellBox {
  glm::dvec3 lower, upper;

  glm::dvec3 centre() const { return 0.5 * (lower + upper); }
  double radius() const { return 0.5 * glm::length(upper - lower); }
};

/// What the views are fitted to: the cropped ranges of all slices, so that going from slice to
/// slice changes no scale; towards the whole grid as full_share grows, or where the kernel reaches
/// none.
CellBox fitted_box(const SampleSlices& slices, float full_share);

glm::dvec3 sample_position(const SampleSlices& slices);

/// Index into slices.slices of the one that the look chooses.
std::size_t chosen_slice(const SampleSlices& slices, const MethodLook& look);

/// Between a slice seen face on, x to the right and y upwards, and a picture of `size` pixels,
/// whose pixels grow rightwards and downwards. Fitted with a margin that leaves room for labels.
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

/// The stack seen by the look's camera in a picture of `size` pixels.
class StackFrame {
 public:
  StackFrame(const CellBox& fitted, const Camera& camera, glm::ivec2 size);

  /// In cells.
  glm::dvec3 eye() const { return centre_ + radius_ * perspective_.eye(); }
  std::optional<glm::dvec2> to_pixel(glm::dvec3 cell) const;
  /// At a position in cells; 0 behind the eye.
  double pixels_per_cell(glm::dvec3 cell) const;
  glm::dmat4 to_clip() const;
  const Perspective& perspective() const { return perspective_; }

 private:
  glm::dvec3 centre_;
  double radius_;
  Perspective perspective_;
};

/// The ellipse in which the plane at height `z` cuts the kernel, closed, x and y in cells; empty
/// where it does not.
std::vector<glm::dvec3> cut_ellipse(const SampleSlices& slices, double z);
/// The kernel's outline as an eye (in cells) sees it, closed; empty where the eye is inside.
std::vector<glm::dvec3> kernel_outline(const SampleSlices& slices, glm::dvec3 eye);

}  // namespace skde::view

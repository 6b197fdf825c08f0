#pragma once

#include <glm/glm.hpp>
#include <optional>
#include <string>
#include <vector>

#include "viewer/gl/objects.hpp"
#include "viewer/method/method_geometry.hpp"
#include "viewer/method/method_look.hpp"
#include "viewer/method/sample_slices.hpp"
#include "viewer/method/slice_sheets.hpp"
#include "viewer/scene/line_batch.hpp"

namespace skde::view {

/// Part of a framebuffer in pixels, which grow rightwards and downwards from its upper left corner.
struct PixelRegion {
  glm::ivec2 corner{0}, size{0};  ///< upper left, and width and height

  bool holds(glm::dvec2 pixel) const {
    return pixel.x >= corner.x && pixel.y >= corner.y && pixel.x < corner.x + size.x &&
           pixel.y < corner.y + size.y;
  }
};

/// A place for a text: its point at `anchor` (0, 0: upper left; 1, 1: lower right) goes to `pixel`
/// of the framebuffer.
struct TextPlace {
  glm::vec2 pixel, anchor;
};

/// A text for the panels to write beside the picture.
struct SliceLabel {
  std::string text;
  TextPlace place;
  glm::vec4 color{0.80F, 0.82F, 0.85F, 1};
  std::vector<TextPlace> elsewhere{};  ///< where it goes as well, if it would be cut at its place
  bool over_lines = false;             ///< it may lie over the picture and gets a ground of its own
};

/// The two parts of the method view.
struct MethodParts {
  PixelRegion stack, face;
};
/// The stack above the slice, or beside it where the region is wider than high.
MethodParts method_parts(const PixelRegion& region);

/// Draws how sample-wise estimation sees a sample: its stack of slices, and one of them face on.
/// Yellow: cells inside the kernel; green: the other cells of the cropped range, which are
/// evaluated as well; grey: the rest of the full slice. White: the kernel's outline and the sample.
class MethodView {
 public:
  /// What to draw from now on.
  void show(SampleSlices slices);
  const SampleSlices& slices() const { return slices_; }

  /// Draws both parts; `scale` is that of the display, 1 or more.
  void draw(const gl::Framebuffer& target, const PixelRegion& region, const MethodLook& look,
            float scale = 1);
  void draw_stack(const gl::Framebuffer& target, const PixelRegion& region, const MethodLook& look,
                  float scale = 1);
  void draw_face(const gl::Framebuffer& target, const PixelRegion& region, const MethodLook& look,
                 float scale = 1);

  /// The heights of the first, chosen and last slice, and the axes' names.
  std::vector<SliceLabel> stack_labels(const PixelRegion& region, const MethodLook& look,
                                       float scale = 1) const;
  /// The ends of the cropped ranges, "z = k", and the axes' names.
  std::vector<SliceLabel> face_labels(const PixelRegion& region, const MethodLook& look,
                                      float scale = 1) const;

 private:
  /// Pixels of the sample's mark, at a place where cells are so large.
  float mark_size(double pixels_per_cell, float scale) const;

  SampleSlices slices_;
  SliceSheets sheets_;
  LineBatch lines_;
};

}  // namespace skde::view

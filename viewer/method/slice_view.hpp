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

/// A part of a framebuffer in pixels, rightwards and downwards from its upper left corner.
struct PixelRegion {
  glm::ivec2 corner{0}, size{0};  ///< upper left, and width and height

  bool holds(glm::dvec2 pixel) const {
    return pixel.x >= corner.x && pixel.y >= corner.y && pixel.x < corner.x + size.x &&
           pixel.y < corner.y + size.y;
  }
};

/// A place for a text: its point at `anchor` (0, 0: upper left; 1, 1: lower right) is put at
/// `pixel` of the framebuffer.
struct TextPlace {
  glm::vec2 pixel, anchor;
};

/// A text that the panels write beside the picture.
struct SliceLabel {
  std::string text;
  TextPlace place;
  glm::vec4 color{0.80F, 0.82F, 0.85F, 1};
  std::vector<TextPlace> elsewhere{};  ///< other places, if it would be cut off at `place`
  bool over_lines = false;             ///< whether it may lie over the picture; it then gets a
                                       ///< background
};

/// The two parts of the method view.
struct MethodParts {
  PixelRegion stack, face;
};
/// Puts the stack above the slice, or beside it if the region is wider than high.
MethodParts method_parts(const PixelRegion& region);

/// Draws how sample-wise estimation processes a sample: its stack of slices, and one of them face
/// on. Yellow: cells inside the kernel. Green: the other cells of the cropped range, which are
/// evaluated too. Grey: the rest of the full slice. White: the kernel's outline and the sample.
class MethodView {
 public:
  /// Sets the slices to draw from now on.
  void show(SampleSlices slices);
  const SampleSlices& slices() const { return slices_; }

  /// Draws both parts; `scale` is that of the display, at least 1.
  void draw(const gl::Framebuffer& target, const PixelRegion& region, const MethodLook& look,
            float scale = 1);
  void draw_stack(const gl::Framebuffer& target, const PixelRegion& region, const MethodLook& look,
                  float scale = 1);
  void draw_face(const gl::Framebuffer& target, const PixelRegion& region, const MethodLook& look,
                 float scale = 1);

  /// Returns the heights of the first, chosen and last slice, and the axes' names.
  std::vector<SliceLabel> stack_labels(const PixelRegion& region, const MethodLook& look,
                                       float scale = 1) const;
  /// Returns the ends of the cropped ranges, "z = k", and the axes' names.
  std::vector<SliceLabel> face_labels(const PixelRegion& region, const MethodLook& look,
                                      float scale = 1) const;

 private:
  /// Returns the size of the sample's mark in pixels, where cells have `pixels_per_cell`.
  float mark_size(double pixels_per_cell, float scale) const;

  SampleSlices slices_;
  SliceSheets sheets_;
  LineBatch lines_;
};

}  // namespace skde::view

#pragma once

#include <glm/glm.hpp>

#include "viewer/gl/objects.hpp"
#include "viewer/gl/shader_program.hpp"
#include "viewer/method/sample_slices.hpp"

namespace skde::view {

/// Opacities of a sheet's parts.
struct SheetOpacity {
  float inside, evaluated, full, edges;
};

/// Parameters of drawing sheets.
struct SheetDrawing {
  glm::dmat4 to_clip;   ///< from cells (see method_geometry.hpp)
  glm::ivec2 viewport;  ///< pixels
  std::size_t current;  ///< index of the highlighted slice
  SheetOpacity current_opacity, other_opacity;
  float full_share;  ///< 0..1: how far the full slices show
  float line_scale;  ///< pixels of a line of width 1, on this display
};

/// The slices of a sample on the graphics card. Each is a single rectangle, whose colours are
/// looked up in the rows, so that large slices cost no more than small ones.
class SliceSheets {
 public:
  void upload(const SampleSlices& slices);
  /// Draws only slice `index`.
  void draw_one(const SheetDrawing& drawing, std::size_t index) const;
  /// Draws all slices, the farthest from the height `eye_z` (in cells) first, as blending requires.
  void draw_stack(const SheetDrawing& drawing, double eye_z) const;

 private:
  void set_uniforms(const SheetDrawing& drawing) const;
  void draw(std::int32_t first, std::int32_t count, std::int32_t step) const;

  gl::ShaderProgram program_{"slice_sheet.vert", "slice_sheet.frag"};
  gl::Buffer slices_, rows_;
  gl::VertexArray no_attributes_;
  std::int32_t first_z_ = 0, count_ = 0;
  glm::vec2 slice_cells_{0};
};

}  // namespace skde::view

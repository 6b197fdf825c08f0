#pragma once

#include <array>
#include <glm/glm.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "viewer/layers/method/method_geometry.hpp"
#include "viewer/layers/space/camera.hpp"

namespace skde::view {

/// A filled shape of four corners, in pixels. Two of them may be the same.
struct FilledQuad {
  std::array<glm::vec2, 4> corners;
  glm::vec4 color;
};

/// A line through places, in pixels.
struct PolyLine {
  std::vector<glm::vec2> places;
  float width;  ///< pixels
  glm::vec4 color;
};

/// Shapes that are drawn together: the lines over the quads, cut off at the edges of a region.
struct ShapeLayer {
  PixelRegion region;
  std::vector<FilledQuad> quads;
  std::vector<PolyLine> lines;
};

/// A flat picture, which the graphics card or a document draws: each layer covers those before it.
using ShapeList = std::vector<ShapeLayer>;

/// A place for a text: its point at `anchor` (0, 0: upper left; 1, 1: lower right) is put at
/// `pixel` of the picture.
struct TextPlace {
  glm::vec2 pixel, anchor;
};

/// A text of the method view.
struct SliceLabel {
  std::string text;
  TextPlace place;
  glm::vec4 color{0.80F, 0.82F, 0.85F, 1};
  std::vector<TextPlace> elsewhere{};    ///< other places, if it would be cut off at `place`
  bool over_lines = false;               ///< whether it may lie over the picture; it then gets a
                                         ///< background
  std::vector<std::string> shorter{};    ///< shorter versions, for little room
  glm::vec3 ground = kMethodBackground;  ///< behind the text, if it may lie over the picture
  PixelRegion room{};                    ///< the label must lie in it, unless it has no size
};

/// The method at work on a sample, drawn flat. The labels still have to find room.
struct MethodPicture {
  ShapeList shapes;
  std::vector<SliceLabel> labels;
};

/// The parts of the method view: three steps as stacks of slices (all cells, chop, crop), and one
/// slice face on. Each has a caption in its upper part. The key stands below them.
struct MethodParts {
  std::array<PixelRegion, 3> steps;
  PixelRegion face;
  PixelRegion key;  ///< without height if there is no room
};
/// Puts the parts beside each other, in two rows or below each other, so that they are largest;
/// `scale` is that of letters.
MethodParts method_parts(const PixelRegion& region, float scale);
/// Returns what the caption leaves of a part.
PixelRegion below_caption(const PixelRegion& part, float scale);

/// Draws all parts in a region; `scale` is that of letters and lines, at least 0.5.
MethodPicture method_picture(const SampleSlices& slices, const PixelRegion& region,
                             const MethodLook& look, float scale);

/// Draws in a region of a picture, whose pixels it counts from the region's upper left corner.
class RegionPen {
 public:
  RegionPen(MethodPicture& to, const PixelRegion& region, float scale);

  const PixelRegion& region() const { return region_; }
  float scale() const { return scale_; }
  /// Covers what was drawn before by what follows; within a layer, lines lie over quads.
  void begin_layer();
  void quad(const std::array<glm::dvec2, 4>& corners, glm::vec4 color);
  void rectangle(glm::dvec2 lower, glm::dvec2 upper, glm::vec4 color);
  /// Draws a line of a width in pixels at scale 1.
  void line(std::span<const glm::dvec2> places, float width, glm::vec4 color);
  void line(glm::dvec2 from, glm::dvec2 to, float width, glm::vec4 color);
  /// Draws a filled disc with a rim.
  void disc(glm::dvec2 centre, double radius, glm::vec4 color, glm::vec4 rim);
  /// Adds a text, which must lie in the region; its places count from the region's corner.
  void label(SliceLabel label);

 private:
  MethodPicture& to_;
  PixelRegion region_;
  float scale_;
};

/// The three steps of the method.
enum class MethodStep { all_cells, chop, crop };

/// Returns where the stack of a step lies in a picture of `size` pixels: left of the names of its
/// slices.
StackFrame stack_frame(MethodStep step, const SampleSlices& slices, const MethodLook& look,
                       glm::ivec2 size, float scale);

/// Draws a step as a stack of slices, with its labels. All cells: the whole grid, and the kernel in
/// it. Chop: the full slices that the kernel meets, around it. Crop: the cells of each slice that
/// are evaluated, coloured by the kernel's value, with the kernel's outline and axes.
void draw_step(RegionPen& pen, MethodStep step, const SampleSlices& slices, const MethodLook& look);

/// Returns where the slice lies in a picture of `size` pixels: left of the inset, if there is room.
FaceFrame face_frame(const SampleSlices& slices, const MethodLook& look, glm::ivec2 size,
                     float scale);

/// Draws the chosen slice face on: its cells with their centres, coloured by the kernel's value,
/// what crop keeps, the ellipse and its axes, and the full slice as an inset.
void draw_face(RegionPen& pen, const SampleSlices& slices, const MethodLook& look);

}  // namespace skde::view

#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "pictures/color_map.hpp"
#include "pictures/picture.hpp"

// The names that cairo.h gives its types, declared here so that only the .cpp needs that header.
struct _cairo;          // NOLINT(bugprone-reserved-identifier): cairo's name
struct _cairo_surface;  // NOLINT(bugprone-reserved-identifier): cairo's name

namespace skde {

/// Pixels of a picture: y grows downwards.
struct Rectangle {
  int x = 0, y = 0, width = 0, height = 0;

  int right() const { return x + width; }
  int bottom() const { return y + height; }
};

/// Position of a text relative to its point, along its direction.
enum class Anchor { begin, middle, end };

struct TextStyle {
  double size = 15;  ///< pixels
  bool bold = false;
  Anchor anchor = Anchor::begin;
  bool upwards = false;  ///< reads from bottom to top
  Color color{};
};

/// Documents that keep shapes as shapes.
enum class DocumentFormat { svg, pdf };

/// A position on a picture, in fractions of pixels.
struct PicturePoint {
  double x = 0, y = 0;
};

/// A white picture to draw on in black: either pixels, or shapes in a document.
class PictureCanvas {
 public:
  /// Throws Error(resources) if there is no memory for the pixels.
  PictureCanvas(int width, int height);
  static PictureCanvas of_shapes(int width, int height,
                                 DocumentFormat format = DocumentFormat::svg);

  /// Draws a horizontal or vertical line one pixel wide, including both end pixels.
  void line(int x0, int y0, int x1, int y1);
  /// Draws a frame one pixel wide just outside the rectangle.
  void frame(const Rectangle& rectangle);
  /// Draws a line through these points.
  void curve(const std::vector<PicturePoint>& points, double width, Color color,
             double opacity = 1);
  /// Draws many lines, each between two points.
  void strokes(const std::vector<std::array<PicturePoint, 2>>& lines, double width, Color color,
               double opacity = 1);
  /// Fills the shape between these corners.
  void polygon(const std::vector<PicturePoint>& corners, Color color, double opacity = 1);
  /// Draws only within a rectangle until show_all().
  void clip(const Rectangle& rectangle);
  void show_all();
  /// Draws a disc. Its outline of this width is white, to separate overlapping discs.
  void disc(PicturePoint centre, double radius, Color color, double outline = 1);
  /// Draws pixels row by row from the top; their number must be width * height.
  void image(const Rectangle& place, const std::vector<Color>& pixels);

  /// Returns the length of the text in pixels. Bytes that are not UTF-8 count, and appear, as '?'.
  double text_width(const std::string& text, const TextStyle& style) const;
  /// Draws the text, centred on the point across its direction.
  void text(double x, double y, const std::string& text, const TextStyle& style);
  /// The same in at most `width` pixels: in smaller letters, and then cut with an ellipsis.
  void text_within(double width, double x, double y, std::string text, TextStyle style);

  /// Returns the letters of all drawn texts that the font lacks; see letters_without().
  std::string missing_letters() const;
  /// Returns the drawn pixels, all opaque. Not for canvases of shapes.
  Picture picture() const;
  /// Returns the document of the drawn shapes. May be called only once; nothing may be drawn
  /// afterwards.
  std::string document();

 private:
  PictureCanvas(_cairo_surface* surface, int width, int height);

  struct Release {
    void operator()(_cairo* context) const;
    void operator()(_cairo_surface* surface) const;
  };
  std::unique_ptr<std::string> document_;  // receives the shapes; must outlive the surface
  std::unique_ptr<_cairo_surface, Release> surface_;
  std::unique_ptr<_cairo, Release> context_;
  std::string drawn_;  ///< all texts
};

/// Returns a canvas for a file of this name: of shapes for .svg and .pdf, otherwise of pixels.
PictureCanvas canvas_for(const std::string& path, int width, int height);
/// Writes the file, whole or not at all. Nothing may be drawn afterwards. Returns the letters of
/// all drawn texts that the font lacks. Throws Error(output).
std::string write_canvas(PictureCanvas& canvas, const std::string& path);

}  // namespace skde

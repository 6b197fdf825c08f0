#pragma once

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

/// Where a text stands relative to its point, along its direction.
enum class Anchor { begin, middle, end };

struct TextStyle {
  double size = 15;  ///< pixels
  bool bold = false;
  Anchor anchor = Anchor::begin;
  bool upwards = false;  ///< reads from bottom to top
};

/// A place on a picture, between pixels.
struct PicturePoint {
  double x = 0, y = 0;
};

/// A white picture to draw on in black: of pixels, or of the shapes themselves as an SVG document.
class PictureCanvas {
 public:
  /// Throws Error(resources) where there is no memory for the pixels.
  PictureCanvas(int width, int height);
  static PictureCanvas of_shapes(int width, int height);

  /// A line one pixel wide; both end pixels belong to it. Horizontal or vertical.
  void line(int x0, int y0, int x1, int y1);
  /// A frame one pixel wide just outside the rectangle.
  void frame(const Rectangle& rectangle);
  /// A line through these points.
  void curve(const std::vector<PicturePoint>& points, double width, Color color);
  /// Its outline is white where discs lie on each other.
  void disc(PicturePoint centre, double radius, Color color);
  /// Pixels row by row from the top; their number is width * height.
  void image(const Rectangle& place, const std::vector<Color>& pixels);

  /// The length of the text in pixels. Bytes that are no UTF-8 count and show as '?'.
  double text_width(const std::string& text, const TextStyle& style) const;
  /// The text, centred across its direction on the point.
  void text(double x, double y, const std::string& text, const TextStyle& style);
  /// The same in at most `width` pixels: in smaller letters, and then cut with an ellipsis.
  void text_within(double width, double x, double y, std::string text, TextStyle style);

  /// What has been drawn; every pixel is opaque. Not of shapes.
  Picture picture() const;
  /// What has been drawn of shapes, once; nothing may be drawn any more.
  std::string svg();

 private:
  PictureCanvas(_cairo_surface* surface, int width, int height);

  struct Release {
    void operator()(_cairo* context) const;
    void operator()(_cairo_surface* surface) const;
  };
  std::unique_ptr<std::string> document_;  // that shapes are written to, while the surface lives
  std::unique_ptr<_cairo_surface, Release> surface_;
  std::unique_ptr<_cairo, Release> context_;
};

}  // namespace skde

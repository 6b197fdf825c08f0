#pragma once

#include <string>
#include <vector>

#include "pictures/picture.hpp"
#include "pictures/picture_canvas.hpp"

namespace skde {

/// A line of a document.
struct DocumentLine {
  PicturePoint from, to;
  double width = 1;  ///< pixels
  Color color;
  double opacity = 1;
};

/// A text of a document, with the upper left corner of its letters' box.
struct DocumentText {
  PicturePoint corner;
  double size = 15;  ///< height of its letters' box, in pixels
  std::string text;
  Color color;
};

/// A picture of pixels below lines and texts that stay sharp at any size. Pixels are its units.
struct LayeredDocument {
  Picture picture;
  std::vector<DocumentLine> lines;
  std::vector<DocumentText> texts;
};

/// Returns true for names that end in .svg or .pdf.
bool is_document_name(const std::string& path);
/// Returns the bytes of an SVG document or, if `pdf`, of a PDF document of one page. Throws
/// Error(resources) if it cannot be made, or if this build draws no pictures.
std::string encode_document(const LayeredDocument& document, bool pdf);

}  // namespace skde

#include "pictures/layered_document.hpp"

#include "core/report/error.hpp"

#if SKDE_HAS_PICTURES
#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#endif

namespace skde {

bool is_document_name(const std::string& path) {
  return path.ends_with(".svg") || path.ends_with(".pdf");
}

#if SKDE_HAS_PICTURES

namespace {

/// cairo's pixel: 8 bits each of opacity, red, green and blue, the colours times the opacity.
std::uint32_t packed(const std::array<std::uint8_t, 4>& pixel) {
  const std::uint32_t opacity = pixel[3];
  const auto times = [&](std::size_t c) { return (pixel[c] * opacity + 127) / 255; };
  return opacity << 24 | times(0) << 16 | times(1) << 8 | times(2);
}

/// Returns the picture as a surface that owns its pixels: a document may read them until it is
/// finished.
cairo_surface_t* surface_of(const Picture& picture) {
  cairo_surface_t* const surface =
      cairo_image_surface_create(CAIRO_FORMAT_ARGB32, picture.width, picture.height);
  unsigned char* const rows = cairo_image_surface_get_data(surface);
  if (rows == nullptr) return surface;  // holds the error
  cairo_surface_flush(surface);
  for (int y = 0; y < picture.height; ++y) {
    unsigned char* const row =
        rows + static_cast<std::ptrdiff_t>(y) * cairo_image_surface_get_stride(surface);
    for (int x = 0; x < picture.width; ++x) {
      const std::uint32_t word = packed(picture.at(x, y));
      std::memcpy(row + 4 * static_cast<std::ptrdiff_t>(x), &word, sizeof(word));
    }
  }
  cairo_surface_mark_dirty(surface);
  return surface;
}

void set_color(cairo_t* context, Color color, double opacity) {
  cairo_set_source_rgba(context, color.red / 255.0, color.green / 255.0, color.blue / 255.0,
                        opacity);
}

void draw_document_text(cairo_t* context, const DocumentText& text) {
  // The height of the letters' box of DejaVu Sans is 1.164 times its size, its ascent 0.928.
  const double size = text.size / 1.164;
  cairo_set_font_size(context, size);
  set_color(context, text.color, 1);
  double top = text.corner.y;
  for (std::size_t begin = 0; begin <= text.text.size(); top += text.size) {
    const std::size_t end = std::min(text.text.find('\n', begin), text.text.size());
    cairo_move_to(context, text.corner.x, top + 0.928 * size);
    cairo_show_text(context, text.text.substr(begin, end - begin).c_str());
    begin = end + 1;
  }
}

/// Throws Error(resources) unless all went well.
void check_status(cairo_status_t status) {
  if (status != CAIRO_STATUS_SUCCESS)
    throw Error(ErrorKind::resources,
                std::string("the document cannot be made: ") + cairo_status_to_string(status),
                {{}, "use a smaller picture, or PNG"});
}

void draw_document(cairo_t* context, cairo_surface_t* pixels, const LayeredDocument& document) {
  cairo_set_source_surface(context, pixels, 0, 0);
  cairo_paint(context);
  cairo_set_line_cap(context, CAIRO_LINE_CAP_ROUND);
  for (const DocumentLine& line : document.lines) {
    set_color(context, line.color, line.opacity);
    cairo_set_line_width(context, line.width);
    cairo_move_to(context, line.from.x, line.from.y);
    cairo_line_to(context, line.to.x, line.to.y);
    cairo_stroke(context);
  }
  cairo_select_font_face(context, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  for (const DocumentText& text : document.texts) draw_document_text(context, text);
  cairo_show_page(context);
}

}  // namespace

std::string encode_document(const LayeredDocument& document, bool pdf) {
  cairo_surface_t* const pixels = surface_of(document.picture);
  check_status(cairo_surface_status(pixels));
  std::string bytes;
  const auto append = [](void* to, const unsigned char* data, unsigned int count) {
    static_cast<std::string*>(to)->append(reinterpret_cast<const char*>(data), count);
    return CAIRO_STATUS_SUCCESS;
  };
  const double width = document.picture.width, height = document.picture.height;
  cairo_surface_t* const surface =
      pdf ? cairo_pdf_surface_create_for_stream(append, &bytes, width, height)
          : cairo_svg_surface_create_for_stream(append, &bytes, width, height);
#if CAIRO_VERSION >= CAIRO_VERSION_ENCODE(1, 15, 10)
  if (!pdf) cairo_svg_surface_set_document_unit(surface, CAIRO_SVG_UNIT_PX);
#endif
  cairo_t* const context = cairo_create(surface);
  draw_document(context, pixels, document);
  const cairo_status_t status = cairo_status(context);
  cairo_destroy(context);
  cairo_surface_finish(surface);
  cairo_surface_destroy(surface);
  cairo_surface_destroy(pixels);
  check_status(status);
  return bytes;
}

#else

std::string encode_document(const LayeredDocument&, bool) {
  throw Error(ErrorKind::resources, "this build draws no SVG and PDF; write a .png");
}

#endif

}  // namespace skde

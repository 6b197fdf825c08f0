#include "pictures/picture_canvas.hpp"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>
#include <fmt/core.h>

#include <algorithm>
#include <cstdint>

#include "core/report/error.hpp"
#include "io/bytes/output_file.hpp"
#include "pictures/layered_document.hpp"
#include "pictures/picture_captions.hpp"
#include "pictures/png_file.hpp"

namespace skde {
namespace {

constexpr double kSmallestText = 10;
constexpr double kHalfCapital = 0.36;  // in units of the size: half the height of a capital letter

/// Bytes of the UTF-8 sequence at the start of the text; 0 if there is none.
std::size_t sequence_length(std::string_view text) {
  const auto byte = static_cast<unsigned char>(text.front());
  const std::size_t length = byte < 0x80                    ? 1
                             : byte >= 0xc2 && byte <= 0xdf ? 2
                             : byte >= 0xe0 && byte <= 0xef ? 3
                             : byte >= 0xf0 && byte <= 0xf4 ? 4
                                                            : 0;
  if (length == 0 || text.size() < length) return 0;
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; };
  return std::all_of(text.begin() + 1, text.begin() + static_cast<std::ptrdiff_t>(length),
                     continues)
             ? length
             : 0;
}

/// After one text that is not UTF-8, cairo draws nothing more; control characters would show as
/// boxes.
std::string printable(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    const bool control = static_cast<unsigned char>(text.front()) < 0x20 || text.front() == 0x7f;
    result += length == 0 || control ? std::string_view("?") : text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result;
}

void remove_last_letter(std::string& text) {
  while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xc0) == 0x80) text.pop_back();
  if (!text.empty()) text.pop_back();
}

void select_font(cairo_t* context, const TextStyle& style) {
  cairo_select_font_face(context, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                         style.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(context, style.size);
}

void set_source(cairo_t* context, Color color, double opacity) {
  cairo_set_source_rgba(context, color.red / 255.0, color.green / 255.0, color.blue / 255.0,
                        opacity);
}

void add_path(cairo_t* context, const std::vector<PicturePoint>& points) {
  cairo_new_path(context);
  for (const PicturePoint& p : points) cairo_line_to(context, p.x, p.y);
}

/// The words of a row of pixels: red, green and blue from bit 16 down.
std::uint32_t* row_of(cairo_surface_t* surface, int y) {
  unsigned char* const data = cairo_image_surface_get_data(surface);
  return reinterpret_cast<std::uint32_t*>(data + static_cast<std::ptrdiff_t>(y) *
                                                     cairo_image_surface_get_stride(surface));
}

}  // namespace

void PictureCanvas::Release::operator()(_cairo* context) const { cairo_destroy(context); }
void PictureCanvas::Release::operator()(_cairo_surface* surface) const {
  cairo_surface_destroy(surface);
}

PictureCanvas::PictureCanvas(int width, int height)
    : PictureCanvas(cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height), width, height) {}

PictureCanvas PictureCanvas::of_shapes(int width, int height, DocumentFormat format) {
  auto document = std::make_unique<std::string>();
  const auto append = [](void* to, const unsigned char* bytes, unsigned int count) {
    static_cast<std::string*>(to)->append(reinterpret_cast<const char*>(bytes), count);
    return CAIRO_STATUS_SUCCESS;
  };
  const auto create = format == DocumentFormat::svg ? cairo_svg_surface_create_for_stream
                                                    : cairo_pdf_surface_create_for_stream;
  cairo_surface_t* const surface = create(append, document.get(), width, height);
#if CAIRO_VERSION >= CAIRO_VERSION_ENCODE(1, 15, 10)
  if (format == DocumentFormat::svg)
    cairo_svg_surface_set_document_unit(surface, CAIRO_SVG_UNIT_PX);
#endif
  PictureCanvas canvas(surface, width, height);
  canvas.document_ = std::move(document);
  return canvas;
}

PictureCanvas::PictureCanvas(_cairo_surface* surface, int width, int height)
    : surface_(surface), context_(cairo_create(surface_.get())) {
  if (cairo_status(context_.get()) != CAIRO_STATUS_SUCCESS)
    throw Error(ErrorKind::resources,
                fmt::format("a picture of {} x {} pixels cannot be made: {}; use a smaller size",
                            width, height, cairo_status_to_string(cairo_status(context_.get()))));
  cairo_t* const context = context_.get();
  cairo_set_source_rgb(context, 1, 1, 1);
  cairo_paint(context);
  cairo_set_source_rgb(context, 0, 0, 0);
  cairo_set_line_width(context, 1);
  // Grey antialiasing and unrounded widths, so that pictures do not depend on the desktop's
  // settings.
  cairo_font_options_t* const options = cairo_font_options_create();
  cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
  cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_SLIGHT);
  cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
  cairo_set_font_options(context, options);
  cairo_font_options_destroy(options);
}

void PictureCanvas::line(int x0, int y0, int x1, int y1) {
  const auto [left, right] = std::minmax(x0, x1);
  const auto [top, bottom] = std::minmax(y0, y1);
  cairo_rectangle(context_.get(), left, top, right - left + 1, bottom - top + 1);
  cairo_fill(context_.get());
}

void PictureCanvas::frame(const Rectangle& r) {
  cairo_rectangle(context_.get(), r.x - 0.5, r.y - 0.5, r.width + 1, r.height + 1);
  cairo_stroke(context_.get());
}

void PictureCanvas::curve(const std::vector<PicturePoint>& points, double width, Color color,
                          double opacity) {
  cairo_t* const context = context_.get();
  cairo_save(context);
  add_path(context, points);
  set_source(context, color, opacity);
  cairo_set_line_width(context, width);
  cairo_set_line_join(context, CAIRO_LINE_JOIN_ROUND);
  cairo_stroke(context);
  cairo_restore(context);
}

void PictureCanvas::strokes(const std::vector<std::array<PicturePoint, 2>>& lines, double width,
                            Color color, double opacity) {
  cairo_t* const context = context_.get();
  cairo_save(context);
  cairo_new_path(context);
  for (const auto& [from, to] : lines) {
    cairo_move_to(context, from.x, from.y);
    cairo_line_to(context, to.x, to.y);
  }
  set_source(context, color, opacity);
  cairo_set_line_width(context, width);
  cairo_set_line_cap(context, CAIRO_LINE_CAP_ROUND);
  cairo_stroke(context);
  cairo_restore(context);
}

void PictureCanvas::polygon(const std::vector<PicturePoint>& corners, Color color, double opacity) {
  cairo_t* const context = context_.get();
  cairo_save(context);
  add_path(context, corners);
  set_source(context, color, opacity);
  cairo_fill_preserve(context);
  // Neighbours overlap a little, or the ground would show between their smooth edges.
  cairo_set_line_width(context, 0.4);
  if (opacity >= 1) cairo_stroke(context);
  cairo_restore(context);
}

void PictureCanvas::clip(const Rectangle& r) {
  cairo_save(context_.get());
  cairo_rectangle(context_.get(), r.x, r.y, r.width, r.height);
  cairo_clip(context_.get());
}

void PictureCanvas::show_all() { cairo_restore(context_.get()); }

void PictureCanvas::disc(PicturePoint centre, double radius, Color color, double outline) {
  cairo_t* const context = context_.get();
  cairo_save(context);
  cairo_arc(context, centre.x, centre.y, radius, 0, 6.283185307179586);
  set_source(context, color, 1);
  cairo_fill_preserve(context);
  cairo_set_source_rgb(context, 1, 1, 1);
  cairo_set_line_width(context, outline);
  cairo_stroke(context);
  cairo_restore(context);
}

void PictureCanvas::image(const Rectangle& place, const std::vector<Color>& pixels) {
  const std::unique_ptr<_cairo_surface, Release> image(
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, place.width, place.height));
  if (cairo_surface_status(image.get()) != CAIRO_STATUS_SUCCESS)
    throw Error(ErrorKind::resources, "no memory for the pixels of a picture",
                {{}, "use a smaller picture"});
  cairo_surface_flush(image.get());
  auto pixel = pixels.begin();
  for (int y = 0; y < place.height; ++y) {
    std::uint32_t* const row = row_of(image.get(), y);
    for (int x = 0; x < place.width; ++x, ++pixel)
      row[x] = static_cast<std::uint32_t>(pixel->red << 16 | pixel->green << 8 | pixel->blue);
  }
  cairo_surface_mark_dirty(image.get());
  cairo_t* const context = context_.get();
  cairo_save(context);
  cairo_set_source_surface(context, image.get(), place.x, place.y);
  cairo_pattern_set_filter(cairo_get_source(context), CAIRO_FILTER_NEAREST);
  cairo_rectangle(context, place.x, place.y, place.width, place.height);
  cairo_fill(context);
  cairo_restore(context);
}

double PictureCanvas::text_width(const std::string& text, const TextStyle& style) const {
  select_font(context_.get(), style);
  cairo_text_extents_t extents;
  cairo_text_extents(context_.get(), printable(text).c_str(), &extents);
  return extents.x_advance;
}

void PictureCanvas::text(double x, double y, const std::string& text, const TextStyle& style) {
  const double width = text_width(text, style);
  const double shift = style.anchor == Anchor::begin    ? 0
                       : style.anchor == Anchor::middle ? -width / 2
                                                        : -width;
  cairo_t* const context = context_.get();
  cairo_save(context);
  cairo_translate(context, x, y);
  if (style.upwards) cairo_rotate(context, -1.5707963267948966);
  cairo_move_to(context, shift, kHalfCapital * style.size);
  set_source(context, style.color, 1);
  cairo_show_text(context, printable(text).c_str());
  drawn_ += printable(text);
  cairo_restore(context);
}

std::string PictureCanvas::missing_letters() const {
  select_font(context_.get(), {});
  return letters_without(drawn_, [this](const std::string& letter, unsigned) {
    cairo_glyph_t place{}, *glyph = &place;  // a missing letter is glyph 0
    int count = 1;
    cairo_scaled_font_text_to_glyphs(cairo_get_scaled_font(context_.get()), 0, 0, letter.data(),
                                     static_cast<int>(letter.size()), &glyph, &count, nullptr,
                                     nullptr, nullptr);
    return count == 0 || glyph->index != 0;
  });
}

void PictureCanvas::text_within(double width, double x, double y, std::string text,
                                TextStyle style) {
  const double wanted = text_width(text, style);
  if (wanted > width) style.size = std::max(kSmallestText, style.size * width / wanted);
  if (text_width(text, style) > width + 1) {
    text = printable(text);
    while (!text.empty() && text_width(text + "\u2026", style) > width) remove_last_letter(text);
    text += "\u2026";
  }
  this->text(x, y, text, style);
}

std::string PictureCanvas::document() {
  context_.reset();
  cairo_surface_finish(surface_.get());
  return std::move(*document_);
}

Picture PictureCanvas::picture() const {
  cairo_surface_t* const surface = surface_.get();
  cairo_surface_flush(surface);
  Picture picture{
      cairo_image_surface_get_width(surface), cairo_image_surface_get_height(surface), {}};
  for (int y = 0; y < picture.height; ++y) {
    const std::uint32_t* const row = row_of(surface, y);
    for (int x = 0; x < picture.width; ++x) {
      const auto channel = [&](int shift) { return static_cast<std::uint8_t>(row[x] >> shift); };
      picture.pixels.push_back({channel(16), channel(8), channel(0), 255});
    }
  }
  return picture;
}

PictureCanvas canvas_for(const std::string& path, int width, int height) {
  if (!is_document_name(path)) return {width, height};
  return PictureCanvas::of_shapes(
      width, height, path.ends_with(".pdf") ? DocumentFormat::pdf : DocumentFormat::svg);
}

std::string write_canvas(PictureCanvas& canvas, const std::string& path) {
  std::string missing = canvas.missing_letters();
  if (!is_document_name(path)) {
    write_png(canvas.picture(), path);
    return missing;
  }
  io::OutputFile file(path);
  file.write(canvas.document());
  file.commit();
  return missing;
}

}  // namespace skde

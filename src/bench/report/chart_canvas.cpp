#include "bench/report/chart_canvas.hpp"

#include <cairo-svg.h>
#include <cairo.h>
#include <fmt/format.h>

#include <cmath>
#include <new>
#include <numbers>
#include <utility>

#include "core/error.hpp"

namespace skde::bench {
namespace {

constexpr double kHalfCapital = 0.36;  // of the size: half the height of a capital letter

/// Carries what cairo writes to a string; cairo is C, so nothing may be thrown through it.
cairo_status_t append(void* bytes, const unsigned char* data, unsigned int count) {
  try {
    static_cast<std::string*>(bytes)->append(reinterpret_cast<const char*>(data), count);
    return CAIRO_STATUS_SUCCESS;
  } catch (const std::bad_alloc&) {
    return CAIRO_STATUS_NO_MEMORY;
  }
}

cairo_surface_t* make_surface(ChartFormat format, int width, int height, std::string& bytes) {
  if (format == ChartFormat::png)
    return cairo_image_surface_create(CAIRO_FORMAT_RGB24, width * kPngScale, height * kPngScale);
  cairo_surface_t* const surface =
      cairo_svg_surface_create_for_stream(&append, &bytes, width, height);
  cairo_svg_surface_set_document_unit(surface, CAIRO_SVG_UNIT_PX);
  return surface;
}

void set_color(cairo_t* context, Color color, double opacity = 1) {
  cairo_set_source_rgba(context, color.red / 255.0, color.green / 255.0, color.blue / 255.0,
                        opacity);
}

void select_font(cairo_t* context, const TextStyle& style) {
  cairo_select_font_face(context, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                         style.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(context, style.size);
}

std::vector<Place> regular(Place centre, double radius, int corners, double first_angle) {
  std::vector<Place> places;
  for (int i = 0; i < corners; ++i) {
    const double angle = first_angle + i * 2 * std::numbers::pi / corners;
    places.push_back({centre.x + radius * std::cos(angle), centre.y + radius * std::sin(angle)});
  }
  return places;
}

/// The corners of the markers that have any, all of about the same area.
std::vector<Place> corners_of(Marker shape, Place centre, double radius) {
  constexpr double kUp = -std::numbers::pi / 2;
  switch (shape) {
    case Marker::square:
      return regular(centre, 1.25 * radius, 4, std::numbers::pi / 4);
    case Marker::triangle:
      return regular({centre.x, centre.y + 0.2 * radius}, 1.45 * radius, 3, kUp);
    case Marker::triangle_down:
      return regular({centre.x, centre.y - 0.2 * radius}, 1.45 * radius, 3, -kUp);
    case Marker::diamond:
      return regular(centre, 1.4 * radius, 4, 0);
    default:
      return {};
  }
}

void require_success(cairo_status_t status) {
  if (status != CAIRO_STATUS_SUCCESS)
    throw Error(ErrorKind::resources,
                fmt::format("a chart cannot be drawn: {}", cairo_status_to_string(status)));
}

}  // namespace

void ChartCanvas::Release::operator()(_cairo* context) const { cairo_destroy(context); }
void ChartCanvas::Release::operator()(_cairo_surface* surface) const {
  cairo_surface_destroy(surface);
}

ChartCanvas::ChartCanvas(ChartFormat format, int width, int height, Color background)
    : format_(format),
      surface_(make_surface(format, width, height, bytes_)),
      context_(cairo_create(surface_.get())) {
  require_success(cairo_status(context_.get()));
  cairo_t* const context = context_.get();
  if (format == ChartFormat::png) cairo_scale(context, kPngScale, kPngScale);
  set_color(context, background);
  cairo_paint(context);
  cairo_set_line_join(context, CAIRO_LINE_JOIN_ROUND);
  // Unrounded widths, so that charts do not depend on the desktop's settings.
  cairo_font_options_t* const options = cairo_font_options_create();
  cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
  cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
  cairo_set_font_options(context, options);
  cairo_font_options_destroy(options);
}

// cairo ends the text of an SVG only now, into bytes_ of this object.
ChartCanvas::~ChartCanvas() { cairo_surface_finish(surface_.get()); }

void ChartCanvas::path(const std::vector<Place>& places) {
  cairo_new_path(context_.get());
  for (const Place& place : places) cairo_line_to(context_.get(), place.x, place.y);
}

void ChartCanvas::stroke(const Stroke& look) {
  set_color(context_.get(), look.color);
  cairo_set_line_width(context_.get(), look.width);
  cairo_set_dash(context_.get(), look.dashes.data(), static_cast<int>(look.dashes.size()), 0);
  cairo_stroke(context_.get());
}

void ChartCanvas::line(const std::vector<Place>& places, const Stroke& look) {
  if (places.size() < 2) return;
  path(places);
  stroke(look);
}

void ChartCanvas::lines(const std::vector<std::pair<Place, Place>>& ends, const Stroke& look) {
  if (ends.empty()) return;
  cairo_new_path(context_.get());
  for (const auto& [first, last] : ends) {
    cairo_move_to(context_.get(), first.x, first.y);
    cairo_line_to(context_.get(), last.x, last.y);
  }
  stroke(look);
}

void ChartCanvas::area(const std::vector<Place>& outline, Color color, double opacity) {
  path(outline);
  cairo_close_path(context_.get());
  set_color(context_.get(), color, opacity);
  cairo_fill(context_.get());
}

void ChartCanvas::marker(Marker shape, Place centre, double radius, Color color, Color background) {
  cairo_t* const context = context_.get();
  if (shape == Marker::cross || shape == Marker::plus) {
    const double first = shape == Marker::plus ? 0 : std::numbers::pi / 4;
    const std::vector<Place> ends = regular(centre, 1.35 * radius, 4, first);
    line({ends[0], ends[2]}, {color, 0.6 * radius});
    line({ends[1], ends[3]}, {color, 0.6 * radius});
    return;
  }
  // A rim in the background's colour keeps markers apart that lie over each other or over lines.
  const std::vector<Place> corners = corners_of(shape, centre, radius);
  path(corners);
  if (corners.empty()) cairo_arc(context, centre.x, centre.y, radius, 0, 2 * std::numbers::pi);
  cairo_close_path(context);
  set_color(context, shape == Marker::ring ? background : color);
  cairo_fill_preserve(context);
  set_color(context, shape == Marker::ring ? color : background);
  cairo_set_line_width(context, shape == Marker::ring ? 0.5 * radius : 0.8);
  cairo_set_dash(context, nullptr, 0, 0);
  cairo_stroke(context);
}

double ChartCanvas::text_width(const std::string& text, const TextStyle& style) const {
  select_font(context_.get(), style);
  cairo_text_extents_t extents;
  cairo_text_extents(context_.get(), text.c_str(), &extents);
  return extents.x_advance;
}

void ChartCanvas::text(Place at, const std::string& text, const TextStyle& style, Color color,
                       double angle) {
  const double width = text_width(text, style);
  const double shift = style.anchor == Anchor::begin    ? 0
                       : style.anchor == Anchor::middle ? -width / 2
                                                        : -width;
  cairo_t* const context = context_.get();
  cairo_save(context);
  cairo_translate(context, at.x, at.y);
  cairo_rotate(context, angle);
  set_color(context, color);
  cairo_move_to(context, shift, kHalfCapital * style.size);
  cairo_show_text(context, text.c_str());
  cairo_restore(context);
}

std::string ChartCanvas::finish() {
  require_success(cairo_status(context_.get()));
  if (format_ == ChartFormat::png)
    require_success(cairo_surface_write_to_png_stream(surface_.get(), &append, &bytes_));
  cairo_surface_finish(surface_.get());
  require_success(cairo_surface_status(surface_.get()));
  return std::move(bytes_);
}

}  // namespace skde::bench

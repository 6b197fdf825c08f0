#include "viewer/ui/method_document.hpp"

#include <fmt/core.h>

#include <cmath>

#include "core/report/error.hpp"
#include "io/text/text_file.hpp"
#include "pictures/picture_canvas.hpp"
#include "viewer/ui/label_layout.hpp"

namespace skde::view::ui {

#if SKDE_HAS_PICTURES
namespace {

constexpr double kDocumentLetters = 13, kLineOfLetters = 1.2;  // pixels at scale 1; in letters

Color color_of(glm::vec4 color) {
  const auto byte = [](float share) {
    return static_cast<std::uint8_t>(std::lround(255 * glm::clamp(share, 0.0F, 1.0F)));
  };
  return {byte(color.r), byte(color.g), byte(color.b)};
}

PicturePoint point_of(glm::dvec2 pixel) { return {pixel.x, pixel.y}; }

void draw_layer(PictureCanvas& canvas, const ShapeLayer& layer) {
  const PixelRegion& r = layer.region;
  canvas.clip({r.corner.x, r.corner.y, r.size.x, r.size.y});
  for (const FilledQuad& quad : layer.quads) {
    const std::vector<PicturePoint> corners{point_of(quad.corners[0]), point_of(quad.corners[1]),
                                            point_of(quad.corners[2]), point_of(quad.corners[3])};
    canvas.polygon(corners, color_of(quad.color), quad.color.a);
  }
  for (const PolyLine& line : layer.lines) {
    std::vector<PicturePoint> places;
    for (const glm::vec2 place : line.places) places.push_back(point_of(place));
    canvas.curve(places, line.width, color_of(line.color), line.color.a);
  }
  canvas.show_all();
}

void draw_texts(PictureCanvas& canvas, const MethodPicture& picture, glm::ivec2 size,
                const MethodColors& theme, float scale) {
  TextStyle style{.size = kDocumentLetters * static_cast<double>(scale)};
  const auto measure = [&](const std::string& text) {
    return glm::dvec2(canvas.text_width(text, style), kLineOfLetters * style.size);
  };
  for (const PlacedSliceLabel& placed : place_labels(picture.labels, {{0, 0}, size}, measure)) {
    const glm::dvec2 a = placed.box.lower, b = placed.box.upper;
    if (placed.label->over_lines)
      canvas.polygon({{a.x - 2, a.y}, {b.x + 2, a.y}, {b.x + 2, b.y}, {a.x - 2, b.y}},
                     color_of(glm::vec4(theme.ground, 1)), 0.8);
    style.color = color_of(placed.label->color);
    canvas.text(a.x, 0.5 * (a.y + b.y), placed.text, style);
  }
}

}  // namespace

void write_method_document(const std::string& path, const MethodPicture& picture, glm::ivec2 size,
                           const MethodLook& look, float scale) {
  PictureCanvas canvas = PictureCanvas::of_shapes(
      size.x, size.y, path.ends_with(".svg") ? DocumentFormat::svg : DocumentFormat::pdf);
  for (const ShapeLayer& layer : picture.shapes) draw_layer(canvas, layer);
  draw_texts(canvas, picture, size, look.theme(), scale);
  io::write_text(path, canvas.document());
}

#else

void write_method_document(const std::string& path, const MethodPicture&, glm::ivec2,
                           const MethodLook&, float) {
  throw Error(ErrorKind::unsupported, fmt::format("{}: this build cannot write documents", path),
              {"output", "configure it with SKDE_WITH_PICTURES=ON and cairo"});
}

#endif

}  // namespace skde::view::ui

#include "viewer/layers/method/region_pen.hpp"

#include <cmath>
#include <numbers>
#include <utility>

namespace skde::view {

RegionPen::RegionPen(MethodPicture& to, const PixelRegion& region, float scale)
    : to_(to), region_(region), scale_(scale) {
  begin_layer();
}

void RegionPen::begin_layer() {
  if (!to_.shapes.empty() && to_.shapes.back().region.size == region_.size &&
      to_.shapes.back().region.corner == region_.corner && to_.shapes.back().quads.empty() &&
      to_.shapes.back().lines.empty())
    return;
  to_.shapes.push_back({region_, {}, {}});
}

void RegionPen::quad(const std::array<glm::dvec2, 4>& corners, glm::vec4 color) {
  FilledQuad filled{{}, color};
  for (std::size_t i = 0; i < 4; ++i)
    filled.corners[i] = glm::vec2(corners[i] + glm::dvec2(region_.corner));
  to_.shapes.back().quads.push_back(filled);
}

void RegionPen::rectangle(glm::dvec2 lower, glm::dvec2 upper, glm::vec4 color) {
  quad({lower, glm::dvec2(upper.x, lower.y), upper, glm::dvec2(lower.x, upper.y)}, color);
}

void RegionPen::line(std::span<const glm::dvec2> places, float width, glm::vec4 color) {
  if (places.size() < 2) return;
  PolyLine line{{}, width * scale_, color};
  for (const glm::dvec2 place : places)
    line.places.emplace_back(place + glm::dvec2(region_.corner));
  to_.shapes.back().lines.push_back(std::move(line));
}

void RegionPen::line(glm::dvec2 from, glm::dvec2 to, float width, glm::vec4 color) {
  line(std::array{from, to}, width, color);
}

void RegionPen::disc(glm::dvec2 centre, double radius, glm::vec4 color, glm::vec4 rim) {
  constexpr std::size_t kSides = 24;
  std::array<glm::dvec2, kSides + 1> ring;
  for (std::size_t k = 0; k <= kSides; ++k) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(k) / kSides;
    ring[k] = centre + radius * glm::dvec2(std::cos(angle), std::sin(angle));
  }
  for (std::size_t k = 0; k < kSides; k += 2)
    quad({centre, ring[k], ring[k + 1], ring[k + 2]}, color);
  line(ring, 1.2F, rim);
}

void RegionPen::label(SliceLabel label) {
  const glm::vec2 corner(region_.corner);
  label.place.pixel += corner;
  for (TextPlace& place : label.elsewhere) place.pixel += corner;
  label.room = region_;
  to_.labels.push_back(std::move(label));
}

}  // namespace skde::view

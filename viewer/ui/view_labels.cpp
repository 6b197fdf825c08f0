#include "viewer/ui/view_labels.hpp"

#include <imgui.h>

#include "viewer/ui/label_layout.hpp"
#include "viewer/ui/outlined_text.hpp"
#include "viewer/ui/theme_inks.hpp"

namespace skde::view::ui {
namespace {

constexpr glm::vec2 kGroundPad{3, 0};  // pixels at scale 1
constexpr float kGroundOpacity = 0.75F;

glm::dvec2 measure(const std::string& text) {
  const ImVec2 size = ImGui::CalcTextSize(text.c_str());
  return {size.x, size.y};
}

/// Draws below all windows, clipped to the region.
class RegionDrawing {
 public:
  explicit RegionDrawing(const PixelRegion& region) : list_(*ImGui::GetBackgroundDrawList()) {
    const glm::vec2 lower(region.corner), upper(region.corner + region.size);
    list_.PushClipRect({lower.x, lower.y}, {upper.x, upper.y});
  }
  ~RegionDrawing() { list_.PopClipRect(); }
  RegionDrawing(const RegionDrawing&) = delete;
  RegionDrawing& operator=(const RegionDrawing&) = delete;
  ImDrawList& list() { return list_; }

 private:
  ImDrawList& list_;
};

}  // namespace

void draw_labels(std::span<const SceneLabel> labels, std::span<const PixelLine> lines,
                 const PixelRegion& region, float scale) {
  RegionDrawing drawing(region);
  for (const PlacedLabel& placed : place_labels(labels, lines, region.size, measure)) {
    const glm::vec2 corner = glm::vec2(placed.box.lower) + glm::vec2(region.corner);
    draw_outlined_text(drawing.list(), placed.text, {corner.x, corner.y}, {0, 0},
                       packed(placed.label->color), scale);
  }
}

void draw_labels(std::span<const SliceLabel> labels, const PixelRegion& region, float scale) {
  RegionDrawing drawing(region);
  const glm::vec2 pad = scale * kGroundPad;
  for (const PlacedSliceLabel& placed : place_labels(labels, region, measure)) {
    const glm::vec2 lower(placed.box.lower), upper(placed.box.upper);
    if (placed.label->over_lines)
      drawing.list().AddRectFilled(
          {lower.x - pad.x, lower.y - pad.y}, {upper.x + pad.x, upper.y + pad.y},
          packed(glm::vec4(placed.label->ground, kGroundOpacity)), 2 * scale);
    draw_outlined_text(drawing.list(), placed.text, {lower.x, lower.y}, {0, 0},
                       packed(placed.label->color), scale);
  }
}

}  // namespace skde::view::ui

#include "viewer/ui/view_labels.hpp"

#include <imgui.h>

#include "viewer/ui/outlined_text.hpp"

namespace skde::view::ui {
namespace {

ImU32 packed(glm::vec4 color) {
  return ImGui::ColorConvertFloat4ToU32({color.r, color.g, color.b, color.a});
}

/// Drawing below all windows, which does not leave the region.
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

void draw_labels(std::span<const SceneLabel> labels, const PixelRegion& region, float scale) {
  RegionDrawing drawing(region);
  for (const SceneLabel& label : labels) {
    const glm::vec2 pixel = glm::vec2(label.pixel) + glm::vec2(region.corner);
    draw_outlined_text(drawing.list(), label.text, {pixel.x, pixel.y}, {0.5f, 0.5f},
                       packed(label.color), scale);
  }
}

void draw_labels(std::span<const SliceLabel> labels, const PixelRegion& region, float scale) {
  RegionDrawing drawing(region);
  for (const SliceLabel& label : labels)
    draw_outlined_text(drawing.list(), label.text, {label.pixel.x, label.pixel.y},
                       {label.anchor.x, label.anchor.y}, packed(label.color), scale);
}

}  // namespace skde::view::ui

#include "viewer/ui/view_labels.hpp"

#include <imgui.h>

#include <algorithm>
#include <vector>

#include "viewer/ui/label_layout.hpp"
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

void draw_labels(std::span<const SceneLabel> labels, std::span<const PixelLine> lines,
                 const PixelRegion& region, float scale) {
  RegionDrawing drawing(region);
  const auto measure = [](const std::string& text) {
    const ImVec2 size = ImGui::CalcTextSize(text.c_str());
    return glm::dvec2(size.x, size.y);
  };
  for (const PlacedLabel& placed : place_labels(labels, lines, region.size, measure)) {
    const glm::vec2 corner = glm::vec2(placed.box.lower) + glm::vec2(region.corner);
    draw_outlined_text(drawing.list(), placed.label->text, {corner.x, corner.y}, {0, 0},
                       packed(placed.label->color), scale);
  }
}

void draw_labels(std::span<const SliceLabel> labels, const PixelRegion& region, float scale) {
  RegionDrawing drawing(region);
  const TextBox room{glm::dvec2(region.corner), glm::dvec2(region.corner + region.size)};
  std::vector<TextBox> taken;
  for (const SliceLabel& label : labels) {
    const ImVec2 size = ImGui::CalcTextSize(label.text.c_str());
    const glm::dvec2 extent(size.x, size.y),
        lower = glm::dvec2(label.pixel) - glm::dvec2(label.anchor) * extent;
    const TextBox box{lower, lower + extent};
    const bool cut = box.lower.x < room.lower.x || box.lower.y < room.lower.y ||
                     box.upper.x > room.upper.x || box.upper.y > room.upper.y;
    if (cut || std::ranges::any_of(taken, [&](const TextBox& other) { return box.meets(other); }))
      continue;
    taken.push_back(box);
    draw_outlined_text(drawing.list(), label.text, {label.pixel.x, label.pixel.y},
                       {label.anchor.x, label.anchor.y}, packed(label.color), scale);
  }
}

}  // namespace skde::view::ui

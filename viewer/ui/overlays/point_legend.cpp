#include "viewer/ui/overlays/view_overlays.hpp"

#include <fmt/core.h>
#include <imgui.h>

#include <algorithm>
#include <vector>

#include "cli/text/number_format.hpp"
#include "viewer/layers/samples/point_look.hpp"
#include "viewer/ui/outlined_text.hpp"
#include "viewer/ui/theme_inks.hpp"

namespace skde::view::ui {
namespace {

constexpr float kDiscMargin = 8, kDiscRadius = 5;  // pixels at scale 1; the radius of discs
constexpr float kLegendLine = 1.25F;               // in letter heights

/// Returns as much of a text as fits, with an ellipsis if that is not all.
std::string cut_to(const std::string& text, float room) {
  if (ImGui::CalcTextSize(text.c_str()).x <= room) return text;
  std::string part = text;
  while (!part.empty() && ImGui::CalcTextSize((part + "\u2026").c_str()).x > room) {
    while (!part.empty() && (static_cast<unsigned char>(part.back()) & 0xC0U) == 0x80U)
      part.pop_back();  // the further bytes of a letter
    if (!part.empty()) part.pop_back();
  }
  return part + "\u2026";
}

/// Draws lines of text, each with a disc before it, downwards.
class Legend {
 public:
  Legend(const PixelRegion& region, float top, float scale)
      : scale_(scale),
        left_(static_cast<float>(region.corner.x) + kDiscMargin * scale),
        right_(static_cast<float>(region.corner.x + region.size.x) - 0.5F * kDiscMargin * scale),
        y_(top) {}

  void title(const std::string& text) {
    write(left_, text);
    next();
  }
  void entry(const std::string& text, float radius, ImU32 color) {
    const float letter = ImGui::GetFontSize(), reach = kDiscRadius * scale_;
    ImGui::GetBackgroundDrawList()->AddCircleFilled({left_ + reach, y_ + letter / 2}, radius,
                                                    color);
    write(left_ + 2 * reach + kDiscMargin * scale_, text);
    next();
  }

 private:
  void write(float x, const std::string& text) const {
    draw_outlined_text(*ImGui::GetBackgroundDrawList(), cut_to(text, right_ - x), {x, y_}, {0, 0},
                       ImGui::GetColorU32(ImGuiCol_Text), scale_);
  }
  void next() { y_ += kLegendLine * ImGui::GetFontSize(); }

  float scale_, left_, right_, y_;
};

ImU32 ink_of(std::size_t category) { return packed(glm::vec4(category_color(category), 1)); }

}  // namespace

void draw_category_legend(std::span<const PointCategory> categories, const std::string& name,
                          const PixelRegion& region, float scale) {
  const float line = kLegendLine * ImGui::GetFontSize(), height = static_cast<float>(region.size.y);
  const auto room = static_cast<std::size_t>(std::max(height / line - 1, 0.0F));
  if (room < 2) return;
  const std::size_t own = std::min(categories.size(), kMostCategories);
  const bool others = own < categories.size();
  const std::size_t entries = own + (others ? 1 : 0);
  const std::size_t told = entries <= room ? entries : room - 1;
  const auto lines = static_cast<float>(1 + std::min(entries, room));
  const float top =
      static_cast<float>(region.corner.y) + std::max(0.0F, 0.5F * (height - line * lines));
  Legend legend(region, top, scale);
  legend.title(name);
  for (std::size_t i = 0; i < std::min(told, own); ++i)
    legend.entry(categories[i].name, kDiscRadius * scale, ink_of(i));
  if (told < entries)
    legend.entry(fmt::format("{} more", cli::format_count(categories.size() - told)), 0, 0);
  else if (others)
    legend.entry(fmt::format("other ({})", cli::format_count(categories.size() - own)),
                 kDiscRadius * scale, ink_of(kMostCategories));
}

PixelRegion draw_size_legend(const ValueAxis& axis, const std::string& name, PixelRegion region,
                             float scale) {
  constexpr int kLines = 3;
  const int taken = static_cast<int>((kLines + 0.5F) * kLegendLine * ImGui::GetFontSize());
  if (region.size.y < 2 * taken) return region;
  region.size.y -= taken;
  Legend legend(region, static_cast<float>(region.corner.y + region.size.y), scale);
  const ImU32 ink = ImGui::GetColorU32(ImGuiCol_Text);
  const float largest = kDiscRadius * scale;
  legend.title("size: " + name);
  constexpr float kLeast = static_cast<float>(kLeastDiameter / kMostDiameter);
  legend.entry(fmt::format("{:.3g}", axis.low), largest * kLeast, ink);
  legend.entry(fmt::format("{:.3g}", axis.high), largest, ink);
  return region;
}

}  // namespace skde::view::ui

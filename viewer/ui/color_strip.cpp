#include "viewer/ui/color_strip.hpp"

namespace skde::view::ui {
namespace {

constexpr int kParts = 32;  // parts of the strip, each with a linear colour gradient

ImU32 color(ColorMap map, int part) {
  const bool light = theme_inks() == kLightInks;
  const Rgb c = map_rgb(on_ground(map, light), static_cast<double>(part) / kParts);
  return ImGui::GetColorU32(ImVec4(static_cast<float>(c.red), static_cast<float>(c.green),
                                   static_cast<float>(c.blue), 1));
}

float between(float a, float b, int part) {
  return a + (b - a) * static_cast<float>(part) / static_cast<float>(kParts);
}

}  // namespace

void draw_color_row(ImDrawList& list, ColorMap map, ImVec2 upper_left, ImVec2 lower_right) {
  for (int i = 0; i < kParts; ++i) {
    const ImU32 left = color(map, i), right = color(map, i + 1);
    list.AddRectFilledMultiColor({between(upper_left.x, lower_right.x, i), upper_left.y},
                                 {between(upper_left.x, lower_right.x, i + 1), lower_right.y}, left,
                                 right, right, left);
  }
}

void draw_color_column(ImDrawList& list, ColorMap map, ImVec2 upper_left, ImVec2 lower_right) {
  for (int i = 0; i < kParts; ++i) {
    const ImU32 lower = color(map, i), upper = color(map, i + 1);
    list.AddRectFilledMultiColor({upper_left.x, between(lower_right.y, upper_left.y, i + 1)},
                                 {lower_right.x, between(lower_right.y, upper_left.y, i)}, upper,
                                 upper, lower, lower);
  }
}

const Inks& theme_inks() {
  const bool dark_letters = ImGui::GetStyleColorVec4(ImGuiCol_Text).y < 0.4F;
  return dark_letters ? kLightInks : kDarkInks;
}

ImVec4 panel_color(glm::vec4 color) { return {color.r, color.g, color.b, color.a}; }

ImU32 packed(glm::vec4 color) { return ImGui::ColorConvertFloat4ToU32(panel_color(color)); }

}  // namespace skde::view::ui

#include "viewer/ui/theme_inks.hpp"

namespace skde::view::ui {

const Inks& theme_inks() {
  const bool dark_letters = ImGui::GetStyleColorVec4(ImGuiCol_Text).y < 0.4F;
  return dark_letters ? kLightInks : kDarkInks;
}

ImVec4 panel_color(glm::vec4 color) { return {color.r, color.g, color.b, color.a}; }

ImU32 packed(glm::vec4 color) { return ImGui::ColorConvertFloat4ToU32(panel_color(color)); }

}  // namespace skde::view::ui

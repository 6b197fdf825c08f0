#include "viewer/ui/theme_drawing.hpp"

#include <cmath>
#include <cstdint>

#include "pictures/picture_captions.hpp"

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

namespace {

/// Keeps a text if one records them.
bool is_recorded(const std::string& text, float size, ImVec2 pixel, ImU32 color) {
  auto* const record = static_cast<TextRecord*>(ImGui::GetIO().UserData);
  if (record == nullptr) return false;
  const auto channel = [color](int shift) { return static_cast<std::uint8_t>(color >> shift); };
  record->texts.push_back(
      {{pixel.x, pixel.y},
       size,
       text,
       {channel(IM_COL32_R_SHIFT), channel(IM_COL32_G_SHIFT), channel(IM_COL32_B_SHIFT)}});
  return true;
}

}  // namespace

TextRecord::TextRecord() { ImGui::GetIO().UserData = this; }
TextRecord::~TextRecord() { ImGui::GetIO().UserData = nullptr; }

void draw_sized_text(ImDrawList& list, const std::string& text, float size, ImVec2 pixel,
                     ImU32 color, float scale) {
  if (is_recorded(text, size, pixel, color)) return;
  const auto draw = [&](float dx, float dy, ImU32 ink) {
    list.AddText(ImGui::GetFont(), size, {pixel.x + dx, pixel.y + dy}, ink, text.c_str());
  };
  glm::vec4 halo = theme_inks().halo;
  halo.a *= static_cast<float>(color >> IM_COL32_A_SHIFT & 0xff) / 255;
  const float wide = std::round(scale);
  for (const float dy : {-wide, 0.0F, wide})
    for (const float dx : {-wide, 0.0F, wide})
      if (dx != 0 || dy != 0) draw(dx, dy, packed(halo));
  draw(0, 0, color);
}

void draw_outlined_text(ImDrawList& list, const std::string& text, ImVec2 pixel, ImVec2 anchor,
                        ImU32 color, float scale) {
  const ImVec2 size = ImGui::CalcTextSize(text.c_str());
  // Whole pixels, or the letters blur.
  const ImVec2 at{std::round(pixel.x - anchor.x * size.x), std::round(pixel.y - anchor.y * size.y)};
  draw_sized_text(list, text, ImGui::GetFontSize(), at, color, scale);
}

std::string missing_letters(std::string_view text) {
  if (ImGui::GetCurrentContext() == nullptr) return {};  // nothing is drawn
  const ImFont& font = *ImGui::GetIO().Fonts->Fonts.front();
  return letters_without(text, [&](const std::string&, unsigned code) {
    return code <= 0xffff && font.FindGlyphNoFallback(static_cast<ImWchar>(code)) != nullptr;
  });
}

}  // namespace skde::view::ui

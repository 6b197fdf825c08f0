#include "viewer/ui/color_strip.hpp"

namespace skde::view::ui {
namespace {

constexpr int kParts = 32;  // between which colours change evenly

ImU32 color(ColorMap map, int part) {
  const Rgb c = map_rgb(map, static_cast<double>(part) / kParts);
  return ImGui::GetColorU32(ImVec4(static_cast<float>(c.red), static_cast<float>(c.green),
                                   static_cast<float>(c.blue), 1));
}

float between(float a, float b, int part) {
  return a + (b - a) * static_cast<float>(part) / static_cast<float>(kParts);
}

}  // namespace

void draw_color_row(ImDrawList& list, ColorMap map, ImVec2 a, ImVec2 b) {
  for (int i = 0; i < kParts; ++i) {
    const ImU32 left = color(map, i), right = color(map, i + 1);
    list.AddRectFilledMultiColor({between(a.x, b.x, i), a.y}, {between(a.x, b.x, i + 1), b.y}, left,
                                 right, right, left);
  }
}

void draw_color_column(ImDrawList& list, ColorMap map, ImVec2 a, ImVec2 b) {
  for (int i = 0; i < kParts; ++i) {
    const ImU32 lower = color(map, i), upper = color(map, i + 1);
    list.AddRectFilledMultiColor({a.x, between(b.y, a.y, i + 1)}, {b.x, between(b.y, a.y, i)},
                                 upper, upper, lower, lower);
  }
}

}  // namespace skde::view::ui

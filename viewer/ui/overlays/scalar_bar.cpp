#include "viewer/ui/overlays/view_overlays.hpp"

#include <fmt/core.h>
#include <imgui.h>
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "cli/text/terminal_text.hpp"
#include "viewer/layers/samples/point_look.hpp"
#include "viewer/ui/theme_drawing.hpp"
#include "viewer/ui/value_ticks.hpp"

namespace skde::view::ui {
namespace {

constexpr float kHeightShare = 0.5f, kLowShare = 0.65f;  // of the region's height; if that is low
constexpr float kMostHeight = 340, kLowRegion = 240;     // pixels at scale 1
constexpr float kBarWidth = 14, kTick = 5, kGap = 4;
constexpr float kLeastLetters = 0.85F;  // least letter size of a caption of several words, relative
                                        // to others
constexpr float kLineHeight = 1.1F, kBelowCaption = 0.8F, kAboveCaption = 0.3F;  // in letters
constexpr float kPointer = 10;         // pixels at scale 1: of a level, left of the bar
constexpr float kLettersATick = 2.6f;  // least distance of two labels, in letter heights

/// The place of the bar, in pixels.
struct Bar {
  float left, right, top, bottom;
  float at(double share) const {
    return std::round(bottom - (bottom - top) * static_cast<float>(share));
  }
};

float widest(const ValueTicks& ticks) {
  float width = 0;
  for (const ValueTick& tick : ticks.ticks)
    width = std::max(width, ImGui::CalcTextSize(tick.label.c_str()).x);
  return width;
}

void draw_ticks(ImDrawList& list, const Bar& bar, const ValueTicks& ticks, float scale) {
  for (const ValueTick& tick : ticks.ticks) {
    const float y = bar.at(tick.share);
    const float length = (tick.label.empty() ? 0.5f : 1.0f) * kTick * scale;
    list.AddLine({bar.right, y}, {bar.right + length, y}, ImGui::GetColorU32(ImGuiCol_Text), scale);
    if (!tick.label.empty())
      draw_outlined_text(list, tick.label, {bar.right + (kTick + kGap) * scale, y}, {0, 0.5f},
                         ImGui::GetColorU32(ImGuiCol_Text), scale);
  }
}

float caption_room(const PixelRegion& region) { return 0.94F * static_cast<float>(region.size.x); }

/// Splits the caption into quantity and unit, in lines of `room` pixels if the words allow it.
std::vector<std::string> caption_lines(const std::string& caption, float room) {
  const std::size_t unit = caption.find(" (");
  std::vector<std::string> lines{caption.substr(0, unit)};
  if (unit == caption.npos) return lines;
  const auto fits = [room](const std::string& text) {
    return kLeastLetters * ImGui::CalcTextSize(text.c_str()).x <= room;
  };
  std::string line;
  for (std::size_t begin = unit + 1; begin < caption.size();) {
    const std::size_t end = std::min(caption.find(' ', begin), caption.size());
    const std::string word = caption.substr(begin, end - begin);
    const std::string longer = line.empty() ? word : fmt::format("{} {}", line, word);
    if (!line.empty() && !fits(longer)) {
      lines.push_back(line);
      line = word;
    } else {
      line = longer;
    }
    begin = end + 1;
  }
  lines.push_back(line);
  return lines;
}

/// Draws the caption, in letters small enough for the column.
void draw_caption(ImDrawList& list, const std::vector<std::string>& lines,
                  const PixelRegion& region, float bottom, float scale) {
  const float room = caption_room(region);
  float size = ImGui::GetFontSize();
  for (const std::string& line : lines)
    size = std::min(size, ImGui::GetFontSize() * room / ImGui::CalcTextSize(line.c_str()).x);
  const float share = size / ImGui::GetFontSize();
  const float middle =
      static_cast<float>(region.corner.x) + 0.5f * static_cast<float>(region.size.x);
  float y = bottom - kLineHeight * size * static_cast<float>(lines.size());
  for (const std::string& line : lines) {
    const float width = share * ImGui::CalcTextSize(line.c_str()).x;
    draw_sized_text(list, line, size, {std::round(middle - width / 2), std::round(y)},
                    ImGui::GetColorU32(ImGuiCol_Text), scale);
    y += kLineHeight * size;
  }
}

/// A density that is marked on a bar, and what it is.
struct NamedLevel {
  double share;
  std::string name;
};

/// Draws a line across the bar with a point at its left.
void draw_level(ImDrawList& list, const Bar& bar, double share, float scale) {
  const float y = bar.at(share), side = 5 * scale;
  const ImU32 ink = packed(theme_inks().strong);
  list.AddLine({bar.left, y}, {bar.right, y}, packed(theme_inks().halo), 4 * scale);
  list.AddLine({bar.left, y}, {bar.right, y}, ink, 2 * scale);
  list.AddTriangleFilled({bar.left, y}, {bar.left - 1.5f * side, y - side},
                         {bar.left - 1.5f * side, y + side}, ink);
}

/// What a bar shows: the ticks for at most so many labels, and the shares of levels.
struct BarContent {
  ColorMap colors;
  std::function<ValueTicks(int)> ticks;
  std::vector<NamedLevel> levels{};
};

void draw_bar(const BarContent& content, const PixelRegion& region, float scale) {
  const float letter = ImGui::GetFontSize();
  const auto region_height = static_cast<float>(region.size.y);
  const float share = region_height < kLowRegion * scale ? kLowShare : kHeightShare;
  const float height = std::min(share * region_height, kMostHeight * scale);
  const int most = static_cast<int>(height / (kLettersATick * letter));
  if (most < 2) return;  // no room
  const ValueTicks ticks = content.ticks(most);

  const float labels = widest(ticks) + (kTick + kGap) * scale;
  float names = 0;
  for (const NamedLevel& level : content.levels)
    if (!level.name.empty())
      names = std::max(names, ImGui::CalcTextSize(level.name.c_str()).x + kPointer * scale);
  // Bar and labels are centred in their column, with the names of levels if there is room.
  const float all = kBarWidth * scale + labels, room = static_cast<float>(region.size.x);
  const bool named = names > 0 && names + all <= room;
  const float right_edge =
      static_cast<float>(region.corner.x) + 0.5F * (room + all + (named ? names : 0));
  const std::vector<std::string> caption = caption_lines(ticks.caption, caption_room(region));
  const float above =
      (kAboveCaption + kLineHeight * static_cast<float>(caption.size()) + kBelowCaption) * letter;
  // In the middle, or lower if the caption needs more room above.
  const float bottom = std::round(static_cast<float>(region.corner.y) +
                                  std::max(0.5f * (region_height + height), above + height));
  Bar bar{};
  bar.right = std::round(right_edge - labels);
  bar.left = bar.right - kBarWidth * scale;
  bar.bottom = bottom;
  bar.top = bottom - std::round(height);

  ImDrawList& list = *ImGui::GetBackgroundDrawList();
  draw_color_column(list, content.colors, {bar.left, bar.top}, {bar.right, bar.bottom});
  list.AddRect({bar.left, bar.top}, {bar.right, bar.bottom}, ImGui::GetColorU32(ImGuiCol_Text), 0,
               0, scale);
  draw_ticks(list, bar, ticks, scale);
  draw_caption(list, caption, region, bar.top - kBelowCaption * letter, scale);
  float y = bar.top - 2 * letter;  // no name is drawn over another
  for (const NamedLevel& level : content.levels) {
    draw_level(list, bar, level.share, scale);
    if (!named) continue;
    y = std::max(bar.at(level.share), y + letter);
    draw_outlined_text(list, level.name, {bar.left - kPointer * scale, y}, {1, 0.5F},
                       packed(theme_inks().strong), scale);
  }
}

}  // namespace

void draw_scalar_bar(const ViewState& state, const Quantity& values,
                     std::span<const MassRegion> surfaces, std::span<const MassRegion> of_b,
                     const PixelRegion& region, float scale) {
  BarContent content{state.transfer.colors,
                     [&](int most) { return value_ticks(state.transfer.axis, most, values); }};
  if (state.mode == RenderMode::isosurface && state.masses.empty())
    content.levels = {{state.isovalue, ""}};
  const auto add = [&](const MassRegion& surface, const char* whose) {
    content.levels.push_back({state.transfer.axis.share_of(surface.level),
                              fmt::format("{}{:.3g} %", whose, 100 * surface.mass)});
  };
  for (const MassRegion& surface : surfaces) add(surface, of_b.empty() ? "" : "A ");
  for (const MassRegion& surface : of_b) add(surface, "B ");
  std::ranges::sort(content.levels, std::greater(), &NamedLevel::share);
  draw_bar(content, region, scale);
}

void draw_named_bar(const ValueAxis& axis, ColorMap colors, const Quantity& values,
                    const PixelRegion& region, float scale) {
  draw_bar({colors, [&](int most) { return value_ticks(axis, most, values); }}, region, scale);
}

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

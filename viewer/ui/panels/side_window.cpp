#include "viewer/ui/panels/side_window.hpp"

#include <fmt/core.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "cli/number_format.hpp"
#include "viewer/ui/panels/clip_panel.hpp"
#include "viewer/ui/panels/cloud_panel.hpp"
#include "viewer/ui/panels/density_panel.hpp"
#include "viewer/ui/panels/fit_panel.hpp"
#include "viewer/ui/panels/method_panel.hpp"
#include "viewer/ui/panels/mixture_panel.hpp"
#include "viewer/ui/panels/probe_panel.hpp"
#include "viewer/ui/panels/section_panel.hpp"
#include "viewer/ui/panels/statistics_panel.hpp"
#include "viewer/ui/panels/transfer_panel.hpp"
#include "viewer/ui/panels/view_panel.hpp"
#include "viewer/ui/property_rows.hpp"
#include "viewer/ui/view_warnings.hpp"

namespace skde::view::ui {
namespace {

constexpr float kLeastWidth = 330, kGripWidth = 6;  // pixels at scale 1
constexpr float kMostShare = 0.6f;                  // of the picture's width

constexpr ImGuiWindowFlags kFixed =
    ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
    ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoBringToFrontOnFocus;

std::string base_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

std::string cloud_text(const PanelFacts& facts) {
  if (facts.files.empty()) return "drop a file here to open it";
  std::string text = facts.is_stream ? "standard input" : base_name(facts.files.front());
  if (facts.files.size() > 1) text += fmt::format(" and {} more", facts.files.size() - 1);
  if (facts.is_stream && facts.samples > 0)
    return text + fmt::format("\nits last {} samples", cli::format_count(facts.samples));
  if (facts.samples > 0) text += fmt::format("\n{} samples", cli::format_count(facts.samples));
  return text;
}

/// Draws the names of the open files and the buttons for help and for hiding.
void draw_title(const PanelFacts& facts, PanelLayout& layout) {
  const float side = ImGui::GetFrameHeight(), gap = ImGui::GetStyle().ItemInnerSpacing.x;
  const float right = ImGui::GetContentRegionMax().x;
  ImGui::BeginGroup();
  ImGui::PushTextWrapPos(right - 2 * (side + gap));
  ImGui::TextUnformatted(cloud_text(facts).c_str());
  ImGui::PopTextWrapPos();
  ImGui::EndGroup();
  if (!facts.files.empty()) {
    std::string all = facts.files.front();
    for (std::size_t i = 1; i < facts.files.size(); ++i) all += "\n" + facts.files[i];
    explain(all);
  }
  ImGui::SameLine(right - 2 * side - gap);
  if (toggle_button("?", layout.help, side)) layout.help = !layout.help;
  explain("Keys and mouse (F1)");
  same_line();
  if (ImGui::Button("◀", {side, 0})) layout.shown = false;
  explain("Hide the panels (Tab)");
}

/// Draws what may mislead, above all panels.
void draw_notes(const PanelFacts& facts) {
  for (const std::string& note : facts.notes) quiet_text(note);
  ImGui::PushStyleColor(ImGuiCol_Text, kWarningColor);
  ImGui::PushTextWrapPos(0);
  for (const std::string& warning : facts.warnings)
    ImGui::TextUnformatted(("Warning: " + warning).c_str());
  ImGui::PopTextWrapPos();
  ImGui::PopStyleColor();
}

/// Draws a panel below its heading, with its own ImGui id.
template <class Draw>
void section(const char* heading, const Draw& draw, bool open = true) {
  if (!ImGui::CollapsingHeader(heading, open ? ImGuiTreeNodeFlags_DefaultOpen : 0)) return;
  ImGui::PushID(heading);
  draw();
  ImGui::PopID();
  ImGui::Spacing();
}

void draw_sections(ViewState& state, const PanelFacts& facts, PanelLayout& layout,
                   PanelActions& actions) {
  section("Density", [&] { draw_density_panel(state, facts, layout, actions); });
  if (!facts.is_volume_file)
    section(
        "Details of the density", [&] { draw_details_panel(state, facts, actions); }, false);
  section("Samples", [&] { draw_cloud_panel(state, facts, actions); });
  section("Colours and opacity", [&] { draw_transfer_panel(state, facts, layout, actions); });
  section("View", [&] { draw_view_panel(state, facts, layout, actions); });
  section("Probe", [&] { draw_probe_panel(state, facts.probe); });
  section("Slices and clips", [&] {
    draw_section_panel(state, facts);
    draw_clip_panel(state, facts);
  });
  section("Ellipsoids", [&] { draw_mixture_panel(state, facts.mixture); });
  section(
      "Fit", [&] { draw_fit_panel(facts.mixture, layout, actions); }, false);
  section("Method", [&] { draw_method_panel(state, facts); });
  section("Statistics", [&] { draw_statistics_panel(facts.statistics); });
}

/// Draws the edge that the user drags to change the window's width.
void draw_grip(PanelLayout& layout, float height) {
  const float width = kGripWidth * layout.scale;
  ImGui::InvisibleButton("##grip", {width, height});
  const bool held = ImGui::IsItemActive();
  if (held || ImGui::IsItemHovered()) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  if (held) layout.width += ImGui::GetIO().MouseDelta.x / layout.scale;
  const ImU32 color = ImGui::GetColorU32(held                     ? ImGuiCol_SeparatorActive
                                         : ImGui::IsItemHovered() ? ImGuiCol_SeparatorHovered
                                                                  : ImGuiCol_Separator);
  const ImVec2 upper = ImGui::GetItemRectMin(), lower = ImGui::GetItemRectMax();
  ImGui::GetWindowDrawList()->AddRectFilled({lower.x - layout.scale, upper.y}, lower, color);
}

/// Draws the button at the left edge that shows the panels again.
void draw_handle(PanelLayout& layout) {
  ImGui::SetNextWindowPos({0, 0});
  if (ImGui::Begin("##handle", nullptr,
                   kFixed | ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoBackground)) {
    if (ImGui::Button("▶", {ImGui::GetFrameHeight(), 0})) layout.shown = true;
    explain("Show the panels (Tab)");
  }
  ImGui::End();
}

/// Returns the window's width in pixels; it leaves room for the views.
float window_width(PanelLayout& layout, ImVec2 display) {
  const float most = std::max(kLeastWidth, kMostShare * display.x / layout.scale);
  layout.width = std::clamp(layout.width, kLeastWidth, most);
  return std::min(std::round(layout.width * layout.scale), std::max(display.x - 1, 1.0f));
}

}  // namespace

void draw_side_window(ViewState& state, const PanelFacts& facts, PanelLayout& layout,
                      PanelActions& actions) {
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float width = layout.shown ? window_width(layout, display) : 0;
  const auto left = static_cast<int>(width);
  layout.views = {
      {left, 0},
      {std::max(static_cast<int>(display.x) - left, 1), std::max(static_cast<int>(display.y), 1)}};
  if (!layout.shown) return draw_handle(layout);
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize({width, display.y});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  const bool visible = ImGui::Begin("Panels", nullptr, kFixed);
  ImGui::PopStyleVar(2);
  if (visible) {
    const float grip = kGripWidth * layout.scale;
    ImGui::BeginChild("##content", {width - grip, display.y}, false,
                      ImGuiWindowFlags_AlwaysUseWindowPadding);
    draw_title(facts, layout);
    draw_notes(facts);
    ImGui::Spacing();
    draw_sections(state, facts, layout, actions);
    ImGui::EndChild();
    ImGui::SameLine(0, 0);
    draw_grip(layout, display.y);
  }
  ImGui::End();
}

}  // namespace skde::view::ui

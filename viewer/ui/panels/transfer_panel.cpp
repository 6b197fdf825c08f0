#include "viewer/ui/panels/transfer_panel.hpp"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "viewer/ui/color_strip.hpp"
#include "viewer/ui/property_rows.hpp"
#include "viewer/ui/transfer_editor.hpp"
#include "viewer/ui/widget_row.hpp"
#include "viewer/volume/mass_opacities.hpp"

namespace skde::view::ui {
namespace {

constexpr double kLeastScale = 0.01, kMostScale = 100;  // range of the opacity scale
constexpr float kSwatchShare = 0.55f;                   // of a line in the menu of colour maps

/// Draws a colour map in the right part of a widget's rectangle.
void draw_swatch(ColorMap map, ImVec2 corner, ImVec2 size) {
  const float inset = std::round(0.18f * size.y);
  draw_color_row(*ImGui::GetWindowDrawList(), map,
                 {corner.x + (1 - kSwatchShare) * size.x, corner.y + inset},
                 {corner.x + size.x - inset, corner.y + size.y - inset});
}

void draw_color_maps(ViewState& state) {
  begin_row("colours");
  const bool is_turned = is_inverted(state.transfer.colors);
  std::string_view present;
  for (const auto& [name, map] : kColorMaps)
    if (map == (is_turned ? inverted(state.transfer.colors) : state.transfer.colors))
      present = name;
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float height = ImGui::GetFrameHeight();
  const ImVec2 size{ImGui::GetContentRegionAvail().x - height, height};  // without the arrow
  ImDrawList& window = *ImGui::GetWindowDrawList();
  const bool open = ImGui::BeginCombo("##colors", present.data());
  if (open) {
    for (const auto& [name, plain] : std::span(kColorMaps).first(kPlainColorMaps)) {
      const ColorMap map = is_inverted(state.transfer.colors) ? inverted(plain) : plain;
      const ImVec2 line = ImGui::GetCursorScreenPos();
      const ImVec2 extent{ImGui::GetContentRegionAvail().x, ImGui::GetTextLineHeight()};
      if (ImGui::Selectable(name.data(), map == state.transfer.colors)) state.transfer.colors = map;
      draw_swatch(map, line, extent);
    }
    ImGui::EndCombo();
  }
  const float inset = std::round(0.22f * height);
  draw_color_row(window, state.transfer.colors,
                 {corner.x + (1 - kSwatchShare) * size.x, corner.y + inset},
                 {corner.x + size.x - inset, corner.y + height - inset});
  begin_row("");
  bool turned = is_inverted(state.transfer.colors);
  if (ImGui::Checkbox("inverted", &turned)) state.transfer.colors = inverted(state.transfer.colors);
}

/// Returns the axis of the other kind with the same high end, from 0 or four decades below.
ValueAxis of_other_kind(const ViewState& state, const PanelFacts& facts, bool logarithmic) {
  const ValueAxis& axis = state.transfer.axis;
  if (state.axis_follows_density || !(axis.high > 0)) return axis_up_to(facts.peak, logarithmic);
  return axis_up_to(axis.high, logarithmic);
}

/// Gives the opacities anew by the mass of the density that is shown, or of the first one.
void follow_mass(ViewState& state, const PanelFacts& facts) {
  state.transfer.follows_mass = true;
  if (!facts.grid || !facts.file_facts.has_density) return;
  const Vec3 box = facts.grid->bounds().extent();
  state.transfer.follow_mass(
      opacities_by_mass(*facts.masses, state.transfer.axis, box.x * box.y * box.z));
}

void draw_axis_kind(ViewState& state, const PanelFacts& facts) {
  begin_row("axis", "Maps colours and opacities to the density or to its logarithm");
  WidgetRow row{"linear", "logarithmic"};
  ValueAxis& axis = state.transfer.axis;
  const ValueAxis before = axis;
  if (toggle_button("linear", !axis.logarithmic, row.next()) && axis.logarithmic)
    set_axis_kind(state.transfer, of_other_kind(state, facts, false));
  if (toggle_button("logarithmic", axis.logarithmic, row.next()) && !axis.logarithmic)
    set_axis_kind(state.transfer, of_other_kind(state, facts, true));
  begin_row("");
  if (ImGui::Checkbox("follows the peak", &state.axis_follows_density) &&
      state.axis_follows_density)
    axis = axis_up_to(facts.peak, axis.logarithmic);
  explain("The axis ends at the peak of every new density");
  if (state.transfer.follows_mass && axis != before) follow_mass(state, facts);
}

void set_window_level(ViewState& state, const WindowLevel& wanted) {
  const ValueAxis axis = with_window_level(state.transfer.axis, wanted);
  if (axis == state.transfer.axis) return;
  state.transfer.axis = axis;
  state.axis_follows_density = false;
}

void draw_window_level(ViewState& state) {
  constexpr float kShareAPixel = 0.005f;
  const bool logarithmic = state.transfer.axis.logarithmic;
  WindowLevel wanted = window_level(state.transfer.axis);
  begin_row("window", logarithmic ? "Decades on the axis; drag, or Ctrl-click to type"
                                  : "Range of density on the axis; drag, or Ctrl-click to type");
  const auto drag = [](const char* id, double& value, double speed, const char* format) {
    return ImGui::DragScalar(id, ImGuiDataType_Double, &value, static_cast<float>(speed), nullptr,
                             nullptr, format, ImGuiSliderFlags_NoRoundToFormat) &&
           !is_being_typed();
  };
  const char* format = logarithmic ? "%.2f decades" : "%.4g";
  if (drag("##window", wanted.window, kShareAPixel * wanted.window, format))
    set_window_level(state, wanted);
  begin_row("level", logarithmic ? "Geometric middle of the axis" : "Middle of the axis");
  const double speed = kShareAPixel * (logarithmic ? wanted.level : wanted.window);
  if (drag("##level", wanted.level, speed, "%.4g")) set_window_level(state, wanted);
}

void draw_opacity_scale(ViewState& state) {
  begin_row("opacity", "Factor on all opacities");
  log_slider("##opacity", state.transfer.opacity_scale, kLeastScale, kMostScale, "× %.3g");
}

void draw_presets(ViewState& state, const PanelFacts& facts) {
  begin_row("preset", "Replaces the opacity curve; colours and axis stay");
  if (!ImGui::BeginCombo("##preset", state.transfer.follows_mass ? "by mass" : "choose")) return;
  if (ImGui::Selectable("by mass", state.transfer.follows_mass)) follow_mass(state, facts);
  explain("Haze and core from the mass of every new density");
  for (const TransferPreset& preset : transfer_presets()) {
    if (ImGui::Selectable(preset.name.data())) apply_preset(state.transfer, preset.name);
    explain(std::string(preset.summary));
  }
  ImGui::EndCombo();
}

}  // namespace

void draw_transfer_panel(ViewState& state, const PanelFacts& facts, PanelLayout& layout,
                         PanelActions& actions) {
  draw_transfer_editor(state, facts, layout);
  draw_presets(state, facts);
  draw_opacity_scale(state);
  draw_color_maps(state);
  draw_axis_kind(state, facts);
  draw_window_level(state);
  file_rows("file", "Colours, opacities and axis as JSON", layout.transfer_path,
            actions.save_transfer, actions.load_transfer);
}

}  // namespace skde::view::ui

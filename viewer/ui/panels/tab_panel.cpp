#include <GLFW/glfw3.h>
#include <fmt/core.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <cfloat>
#include <utility>

#include "viewer/ui/imgui_input.hpp"
#include "viewer/ui/panels/side_panels.hpp"
#include "viewer/ui/property_rows.hpp"
#include "viewer/ui/theme_drawing.hpp"

namespace skde::view::ui {
namespace {

const ControlDrawer* drawer_of(const ViewField& field) {
  for (const auto& drawers : {density_drawers(), transfer_drawers(), look_drawers(),
                              question_drawers(), method_drawers()})
    for (const ControlDrawer& drawer : drawers)
      if (drawer.title == field.title()) return &drawer;
  return nullptr;
}

/// Draws a control, with a frame if a search has found it, until the next click.
void draw_control(const ViewField& field, Panel& panel) {
  const ImVec2 from = ImGui::GetCursorScreenPos();
  const float right = from.x + ImGui::GetContentRegionAvail().x;
  ImGui::PushID(field.title().data());
  if (const ControlDrawer* const drawer = drawer_of(field))
    drawer->draw(field, panel);
  else
    draw_field(field, panel.state, panel.actions.complaint);
  ImGui::PopID();
  PanelLayout& layout = panel.layout;
  if (layout.found != &field) return;
  if (std::exchange(layout.scrolls, false)) ImGui::SetScrollHereY();
  const float gap = ImGui::GetStyle().ItemSpacing.y / 2;
  ImGui::GetWindowDrawList()->AddRect({from.x - gap, from.y - gap},
                                      {right, ImGui::GetCursorScreenPos().y - gap},
                                      packed(theme_inks().mark), gap, 0, 1.5F * layout.scale);
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) layout.found = nullptr;
}

/// Opens the place of a control.
void show_control(const ViewField& field, PanelLayout& layout) {
  layout.tabs.chosen = field.tab;
  if (!field.ahead) layout.tabs.more.insert(field.tab);
  layout.found = &field;
  layout.scrolls = true;
  layout.search.clear();
}

/// Draws the controls that the text of the search finds; Return opens the first one.
void draw_found(PanelLayout& layout, bool entered) {
  const std::vector<const ViewField*> found = find_controls(layout.search);
  if (found.empty()) quiet_text("No control has this name or flag.");
  for (const ViewField* const field : found) {
    const std::string place =
        fmt::format("{}: {}{}", word_of(kTabs, field->tab), field->title(),
                    field->text.name.empty() ? "" : "  --" + field->text.name);
    ImGui::PushID(field);
    const bool chosen = ImGui::Selectable(place.c_str()) || entered;
    explain(field->widget.tip);
    ImGui::PopID();
    if (chosen) return show_control(*field, layout);
  }
}

/// Draws the field for the search. Returns true once Return was pressed in it.
bool draw_search(PanelLayout& layout) {
  if (std::exchange(layout.searches, false)) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(-FLT_MIN);
  ImGui::InputTextWithHint("##search", "find a control by name or flag (Ctrl+F)", &layout.search);
  return ImGui::IsItemDeactivated() && key_pressed(GLFW_KEY_ENTER) && !layout.search.empty();
}

/// Says why a tab has no controls; empty if it has some.
const char* why_without_controls(Tab tab, const PanelFacts& facts) {
  if (tab == Tab::density && facts.is_volume_file)
    return "Another program computed this volume; open its samples to change it.";
  if (tab != Tab::data) return "";
  if (facts.is_volume_file) return "A volume has no samples to read.";
  return facts.is_stream ? "The samples come from a pipe: columns, weights and units are those of "
                           "the command line."
                         : "";
}

void draw_controls(Tab tab, Panel& panel) {
  if (const std::string why = why_without_controls(tab, panel.facts); !why.empty()) {
    quiet_text(why);
    if (panel.facts.is_stream) draw_stream_rows(panel.facts.file_facts, panel.actions);
    return;
  }
  for (const ViewField* const field : controls_of(tab, true)) draw_control(*field, panel);
  const std::vector<const ViewField*> more = controls_of(tab, false);
  std::set<Tab>& open = panel.layout.tabs.more;
  if (!more.empty()) {
    ImGui::Spacing();
    ImGui::SetNextItemOpen(open.contains(tab));
    if (ImGui::CollapsingHeader("more")) {
      open.insert(tab);
      for (const ViewField* const field : more) draw_control(*field, panel);
    } else {
      open.erase(tab);
    }
  }
}

}  // namespace

void draw_tabs(Panel& panel) {
  PanelLayout& layout = panel.layout;
  const bool entered = draw_search(layout);
  std::vector<std::string_view> names;
  for (const auto& [name, tab] : kTabs) names.push_back(name);
  Tab& chosen = layout.tabs.chosen;
  if (const auto clicked = clicked_name(names, static_cast<std::size_t>(chosen) - 1)) {
    chosen = kTabs[*clicked].second;
    layout.search.clear();
  }
  ImGui::Spacing();
  if (!layout.search.empty()) return draw_found(layout, entered);
  ImGui::PushID("controls");
  draw_controls(chosen, panel);
  ImGui::PopID();
  if (chosen == Tab::method) draw_readout(panel.facts.readout);
  if (chosen == Tab::numbers) fact_table("##statistics", panel.facts.statistics);
}

}  // namespace skde::view::ui

#include <GLFW/glfw3.h>
#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <utility>

#include "cli/text/terminal_text.hpp"
#include "viewer/ui/dialogs/file_dialog.hpp"
#include "viewer/ui/imgui_input.hpp"
#include "viewer/ui/panels/panels.hpp"
#include "viewer/ui/property_rows.hpp"
#include "viewer/ui/theme_drawing.hpp"

namespace skde::view::ui {
namespace {

constexpr double kLeastViews = 400;  // least width left to the views, in pixels at scale 1
constexpr float kGripWidth = 6;

constexpr ImGuiWindowFlags kFixed =
    ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
    ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoBringToFrontOnFocus;

/// Draws what is known of a followed stream, and a button that pauses it.
void draw_stream_rows(const FileFacts& facts, PanelActions& actions) {
  if (facts.stream_ended) return quiet_text("The stream has ended.");
  begin_row("stream", "While it is paused nothing is lost: its sender waits");
  const char* const label = facts.stream_paused ? "go on" : "pause";
  if (toggle_button(label, facts.stream_paused, -FLT_MIN)) actions.files.pause = true;
}

std::string cloud_text(const PanelFacts& facts) {
  if (facts.files.empty()) return "no file is open; Ctrl+O opens one";
  std::string text = facts.is_stream ? "standard input" : base_name(facts.files.front());
  if (facts.files.size() > 1) text += fmt::format(" and {} more", facts.files.size() - 1);
  if (facts.is_stream && facts.samples > 0)
    return text + fmt::format("\nits last {} samples{}", cli::format_count(facts.samples),
                              facts.file_facts.stream_ended    ? "; it has ended"
                              : facts.file_facts.stream_paused ? "; paused"
                                                               : "");
  if (facts.samples > 0) text += fmt::format("\n{} samples", cli::format_count(facts.samples));
  return text;
}

/// Draws the names of the open files and the buttons for help and for hiding.
void draw_title(Division& division, const PanelFacts& facts, PanelLayout& layout) {
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
  if (ImGui::Button("◀", {side, 0})) toggle_side_window(division, layout);
  explain("Hide the panels (Tab)");
}

/// Draws what may mislead, above all panels.
void draw_notes(const PanelFacts& facts) {
  for (const std::string& note : facts.notes) quiet_text(note);
  ImGui::PushStyleColor(ImGuiCol_Text, panel_color(theme_inks().notice));
  for (const std::string& warning : facts.warnings) plain_text("Warning: " + warning);
  ImGui::PopStyleColor();
}

/// Draws the edge that the user drags to change the window's width, in pixels.
void draw_grip(Division& division, const PanelLayout& layout, ImVec2 window) {
  const float width = kGripWidth * layout.scale;
  ImGui::InvisibleButton("##grip", {width, window.y});
  const bool held = ImGui::IsItemActive();
  if (held || ImGui::IsItemHovered()) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  // In a slow frame the way to the edge may come together with the press.
  if (held && !ImGui::IsItemActivated() && ImGui::GetIO().MouseDelta.x != 0)
    division.panels =
        std::clamp(static_cast<double>((window.x + ImGui::GetIO().MouseDelta.x) / layout.scale),
                   Division::kLeastPanels, Division::kMostPanels);
  const ImU32 color = ImGui::GetColorU32(held                     ? ImGuiCol_SeparatorActive
                                         : ImGui::IsItemHovered() ? ImGuiCol_SeparatorHovered
                                                                  : ImGuiCol_Separator);
  const ImVec2 upper = ImGui::GetItemRectMin(), lower = ImGui::GetItemRectMax();
  ImGui::GetWindowDrawList()->AddRectFilled({lower.x - layout.scale, upper.y}, lower, color);
}

/// Draws the button at the left edge that shows the panels again.
void draw_handle(Division& division, PanelLayout& layout) {
  ImGui::SetNextWindowPos({0, 0});
  if (ImGui::Begin("##handle", nullptr,
                   kFixed | ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoBackground)) {
    if (ImGui::Button("▶", {ImGui::GetFrameHeight(), 0})) toggle_side_window(division, layout);
    explain("Show the panels (Tab)");
  }
  ImGui::End();
}

/// Returns the window's width in pixels. It leaves the views their least width, or lies over them.
float window_width(const Division& division, const PanelLayout& layout, ImVec2 display) {
  const double most = static_cast<double>(display.x / layout.scale) - kLeastViews;
  const auto width = static_cast<float>(
      std::clamp(division.panels, Division::kLeastPanels, std::max(most, Division::kLeastPanels)));
  return std::min(std::round(width * layout.scale), std::max(display.x - 1, 1.0f));
}

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

void draw_save_menu(const FileFacts& facts, FileActions& actions) {
  if (!ImGui::BeginPopup("##save")) return;
  const auto item = [&](const char* label, const char* key, bool enabled, FilePurpose purpose) {
    if (ImGui::MenuItem(label, key, false, enabled)) actions.ask = purpose;
  };
  item("view\u2026", "Ctrl+S", true, FilePurpose::save_view);
  item("picture\u2026", "F12", facts.has_density || facts.has_samples, FilePurpose::picture);
  item("volume\u2026", nullptr, facts.has_density, FilePurpose::volume);
  item("surface at the level\u2026", nullptr, facts.has_density, FilePurpose::surface);
  item("samples\u2026", nullptr, facts.has_samples, FilePurpose::samples);
  ImGui::EndPopup();
}

void draw_menu(const PanelFacts& facts, const FileDesk& desk, FileActions& actions) {
  if (!ImGui::BeginPopup("##menu")) return;
  if (ImGui::BeginMenu("recent files", !desk.recent.empty())) {
    draw_recent_files(desk, actions);
    ImGui::EndMenu();
  }
  const FileFacts& known = facts.file_facts;
  const auto item = [](const char* label, const char* key, bool enabled, bool& wanted,
                       const char* explanation) {
    if (ImGui::MenuItem(label, key, false, enabled)) wanted = true;
    explain(explanation);
  };
  item("read the files again", "F5", known.can_reload, actions.reload,
       "As is done when they change on the disk");
  item("choose the columns\u2026", nullptr, known.has_samples && known.can_reload,
       actions.ask_columns, "x, y, z, weights and widths, with the first rows");
  if (ImGui::MenuItem("open a view\u2026")) actions.ask = FilePurpose::open_view;
  item("copy as skde density \u2026", "Ctrl+C", known.has_samples, actions.copy_command,
       "The command that computes what is shown");
  ImGui::Separator();
  item("reset all", nullptr, !facts.files.empty(), actions.reset_all,
       "Shows these files as when they are first opened; their columns stay");
  item("last look", nullptr, desk.has_last_look, actions.last_look,
       "Colours, opacities, mode and views of the last session");
  ImGui::EndPopup();
}

/// Draws the search for controls, the tabs, and the controls of the chosen one.
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

/// Draws the buttons that open and save files, and those that undo steps.
void draw_file_panel(const PanelFacts& facts, PanelLayout& layout, PanelActions& actions) {
  FileActions& files = actions.files;
  WidgetRow row{"open", "save", "undo", "redo", "menu"};
  if (row.button("open", "Opens files; several are one cloud (Ctrl+O)"))
    files.ask = FilePurpose::open;
  if (row.button("save", "Saves the view, a picture, the density, a surface, the samples"))
    ImGui::OpenPopup("##save");
  draw_save_menu(facts.file_facts, files);
  files.undo = row.button("undo", "Takes the last change back (Ctrl+Z)", layout.desk.can_undo);
  files.redo = row.button("redo", "Makes it again (Ctrl+Shift+Z, Ctrl+Y)", layout.desk.can_redo);
  if (row.button("menu", "Recent files, columns, views, reset")) ImGui::OpenPopup("##menu");
  draw_menu(facts, layout.desk, files);
}

}  // namespace

bool is_side_window_shown(const Division& division, const PanelLayout& layout) {
  return layout.has_room ? division.panels_shown : layout.opened;
}

void toggle_side_window(Division& division, PanelLayout& layout) {
  bool& shown = layout.has_room ? division.panels_shown : layout.opened;
  shown = !shown;
}

void draw_side_window(ViewState& state, const PanelFacts& facts, PanelLayout& layout,
                      PanelActions& actions) {
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  layout.has_room =
      display.x >= static_cast<float>(Division::kLeastPanels + kLeastViews) * layout.scale;
  const bool shown = is_side_window_shown(state.division, layout);
  const float width = shown ? window_width(state.division, layout, display) : 0;
  const int left = layout.has_room ? static_cast<int>(width) : 0;
  layout.views = {
      {left, 0},
      {std::max(static_cast<int>(display.x) - left, 1), std::max(static_cast<int>(display.y), 1)}};
  if (!shown) return draw_handle(state.division, layout);
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize({width, display.y});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  const bool visible = ImGui::Begin("Panels", nullptr, kFixed);
  ImGui::PopStyleVar(2);
  if (visible) {
    const float grip = kGripWidth * layout.scale;
    if (std::exchange(layout.takes_focus, false)) ImGui::SetNextWindowFocus();
    ImGui::BeginChild("##content", {width - grip, display.y}, false,
                      ImGuiWindowFlags_AlwaysUseWindowPadding);
    draw_title(state.division, facts, layout);
    draw_file_panel(facts, layout, actions);
    draw_notes(facts);
    remedy_buttons(facts.file_facts.warning_remedies, actions.files);
    ImGui::Spacing();
    Panel panel{state, facts, layout, actions};
    draw_tabs(panel);
    ImGui::EndChild();
    ImGui::SameLine(0, 0);
    draw_grip(state.division, layout, {width, display.y});
  }
  ImGui::End();
}

}  // namespace skde::view::ui

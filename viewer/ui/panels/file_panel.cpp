#include <fmt/format.h>
#include <imgui.h>

#include <cfloat>

#include "viewer/ui/panels/side_panels.hpp"
#include "viewer/ui/property_rows.hpp"
#include "viewer/ui/widget_row.hpp"

namespace skde::view::ui {
namespace {

bool button(const char* label, float width, bool enabled, const char* explanation) {
  ImGui::BeginDisabled(!enabled);
  const bool clicked = fitted_button(label, width);
  ImGui::EndDisabled();
  explain(explanation);
  return clicked;
}

void draw_recent_menu(const FileDesk& desk, FileActions& actions) {
  if (!ImGui::BeginMenu("recent files", !desk.recent.empty())) return;
  for (std::size_t i = 0; i < desk.recent.size(); ++i) {
    const std::vector<std::string>& paths = desk.recent[i];
    std::string label = base_name(paths.front());
    if (paths.size() > 1) label += fmt::format(" and {} more", paths.size() - 1);
    ImGui::PushID(static_cast<int>(i));
    if (ImGui::MenuItem(label.c_str())) actions.recent = i;
    explain(fmt::format("{}", fmt::join(paths, "\n")));
    ImGui::PopID();
  }
  ImGui::EndMenu();
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
  draw_recent_menu(desk, actions);
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

}  // namespace

void draw_file_panel(const PanelFacts& facts, PanelLayout& layout, PanelActions& actions) {
  FileActions& files = actions.files;
  WidgetRow row{"open", "save", "undo", "redo", "menu"};
  if (button("open", row.next(), true, "Opens files; several are one cloud (Ctrl+O)"))
    files.ask = FilePurpose::open;
  if (button("save", row.next(), true,
             "Saves the view, a picture, the density, a surface, the samples"))
    ImGui::OpenPopup("##save");
  draw_save_menu(facts.file_facts, files);
  if (button("undo", row.next(), layout.desk.can_undo, "Takes the last change back (Ctrl+Z)"))
    files.undo = true;
  if (button("redo", row.next(), layout.desk.can_redo, "Makes it again (Ctrl+Shift+Z, Ctrl+Y)"))
    files.redo = true;
  if (button("menu", row.next(), true, "Recent files, columns, views, reset"))
    ImGui::OpenPopup("##menu");
  draw_menu(facts, layout.desk, files);
}

void draw_stream_rows(const FileFacts& facts, PanelActions& actions) {
  if (facts.stream_ended) return quiet_text("The stream has ended.");
  begin_row("stream", "While it is paused nothing is lost: its sender waits");
  const char* const label = facts.stream_paused ? "go on" : "pause";
  if (toggle_button(label, facts.stream_paused, -FLT_MIN)) actions.files.pause = true;
}

}  // namespace skde::view::ui

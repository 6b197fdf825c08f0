#include <fmt/format.h>
#include <imgui.h>

#include <cfloat>

#include "viewer/ui/panels/side_panels.hpp"
#include "viewer/ui/property_rows.hpp"

namespace skde::view::ui {
namespace {

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

}  // namespace

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

void draw_stream_rows(const FileFacts& facts, PanelActions& actions) {
  if (facts.stream_ended) return quiet_text("The stream has ended.");
  begin_row("stream", "While it is paused nothing is lost: its sender waits");
  const char* const label = facts.stream_paused ? "go on" : "pause";
  if (toggle_button(label, facts.stream_paused, -FLT_MIN)) actions.files.pause = true;
}

}  // namespace skde::view::ui

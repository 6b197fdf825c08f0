#include "viewer/ui/dialogs/file_dialog.hpp"

#include <GLFW/glfw3.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <system_error>
#include <utility>

#include "core/report/error.hpp"
#include "core/space/grid.hpp"
#include "viewer/ui/imgui_input.hpp"
#include "viewer/ui/property_rows.hpp"

namespace skde::view::ui {
namespace {

namespace fs = std::filesystem;

constexpr float kFilesWidth = 46, kFilesHeight = 30;  // in letter heights
constexpr float kRecentShare = 0.3F;                  // of the width
constexpr float kSizeLetters = 5, kTimeLetters = 9;

void list_entries(FileDialog& dialog) {
  const FileUse& use = file_use(*dialog.purpose);
  const std::vector<std::string> known =
      dialog.all_files ? std::vector<std::string>() : use.extensions();
  dialog.entries.clear();
  dialog.complaint.clear();
  try {
    dialog.entries = list_folder(dialog.folder, known);
  } catch (const Error& error) {
    dialog.complaint = error.what();
  }
  dialog.chosen.assign(dialog.entries.size(), false);
  dialog.last = 0;
}

void go_to(FileDialog& dialog, const fs::path& folder) {
  std::error_code none;  // a path that is no folder is told by list_entries()
  const fs::path whole = fs::weakly_canonical(folder, none);
  dialog.folder = none ? folder.string() : whole.string();
  list_entries(dialog);
  dialog.appears = true;  // anew, so that the keyboard begins at its first entry
}

/// Chooses an entry as users expect: alone, with Ctrl besides others, with Shift up to it.
void choose(FileDialog& dialog, std::size_t index) {
  const ImGuiIO& io = ImGui::GetIO();
  const bool many = *dialog.purpose == FilePurpose::open;
  const bool was = dialog.chosen[index];
  if (!many || !io.KeyCtrl) dialog.chosen.assign(dialog.entries.size(), false);
  if (many && io.KeyShift) {
    const std::size_t first = std::min(index, dialog.last), end = std::max(index, dialog.last) + 1;
    for (std::size_t i = first; i < end; ++i) dialog.chosen[i] = !dialog.entries[i].is_folder;
    return;
  }
  dialog.chosen[index] = !(many && io.KeyCtrl && was);
  dialog.last = index;
  if (!dialog.entries[index].is_folder) dialog.name = dialog.entries[index].name;
}

/// Returns the paths that the button would open or write; empty if there are none.
std::vector<std::string> wanted(const FileDialog& dialog) {
  const fs::path folder = dialog.folder;
  std::vector<std::string> paths;
  if (file_use(*dialog.purpose).saves()) {
    if (!dialog.name.empty()) paths.push_back((folder / dialog.name).string());
    return paths;
  }
  for (std::size_t i = 0; i < dialog.entries.size(); ++i)
    if (dialog.chosen[i] && !dialog.entries[i].is_folder)
      paths.push_back((folder / dialog.entries[i].name).string());
  return paths;
}

void accept(FileDialog& dialog, std::vector<std::string> paths, FileActions& actions) {
  actions.chosen = ChosenFiles{*dialog.purpose, std::move(paths)};
  dialog.purpose.reset();
  ImGui::CloseCurrentPopup();
}

/// Draws the folder; a file that is typed there is opened.
void draw_folder(FileDialog& dialog, FileActions& actions) {
  if (ImGui::Button("\u2191", {ImGui::GetFrameHeight(), 0}))
    go_to(dialog, fs::path(dialog.folder).parent_path());
  explain("The folder above (Backspace)");
  same_line();
  std::string folder = dialog.folder;
  ImGui::SetNextItemWidth(-1);
  if (ImGui::InputText("##folder", &folder, ImGuiInputTextFlags_EnterReturnsTrue)) {
    const fs::path typed = fs::path(dialog.folder) / folder;
    std::error_code none;  // what is no file is told by list_entries()
    if (!file_use(*dialog.purpose).saves() && fs::is_regular_file(typed, none))
      return accept(dialog, {typed.string()}, actions);
    go_to(dialog, typed);
  }
}

std::string size_text(const FolderEntry& entry) {
  return entry.is_folder ? "" : format_bytes(static_cast<double>(entry.bytes));
}

std::string time_text(const FolderEntry& entry) {
  return fmt::format("{:%Y-%m-%d %H:%M}", fmt::localtime(static_cast<std::time_t>(entry.written)));
}

/// Draws the entries; returns the one that a double click or Return opens, or their number.
std::size_t draw_entries(FileDialog& dialog) {
  std::size_t opened = dialog.entries.size();
  for (std::size_t i = 0; i < dialog.entries.size(); ++i) {
    const FolderEntry& entry = dialog.entries[i];
    ImGui::PushID(entry.name.c_str());
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    const std::string label = entry.is_folder ? entry.name + "/" : entry.name;
    constexpr ImGuiSelectableFlags kFlags =
        ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowDoubleClick;
    if (ImGui::Selectable(label.c_str(), dialog.chosen[i], kFlags)) {
      choose(dialog, i);
      if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) opened = i;
    }
    if (i == 0) ImGui::SetItemDefaultFocus();
    if (ImGui::IsItemFocused() && key_pressed(GLFW_KEY_ENTER)) {
      if (!dialog.chosen[i]) choose(dialog, i);
      opened = i;
    }
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(size_text(entry).c_str());
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(time_text(entry).c_str());
    ImGui::PopID();
  }
  return opened;
}

void draw_files(FileDialog& dialog, float height, FileActions& actions) {
  const float letter = ImGui::GetFontSize();
  ImGui::BeginChild("##files", {0, height}, false, ImGuiWindowFlags_NavFlattened);
  std::size_t opened = dialog.entries.size();
  if (ImGui::BeginTable("##entries", 3, ImGuiTableFlags_RowBg)) {
    ImGui::TableSetupColumn("name", ImGuiTableColumnFlags_WidthStretch);
    ImGui::TableSetupColumn("size", ImGuiTableColumnFlags_WidthFixed, kSizeLetters * letter);
    ImGui::TableSetupColumn("changed", ImGuiTableColumnFlags_WidthFixed, kTimeLetters * letter);
    opened = draw_entries(dialog);
    ImGui::EndTable();
  }
  ImGui::EndChild();
  if (opened == dialog.entries.size()) return;
  if (dialog.entries[opened].is_folder)
    go_to(dialog, fs::path(dialog.folder) / dialog.entries[opened].name);
  else if (std::vector<std::string> paths = wanted(dialog); !paths.empty())
    accept(dialog, std::move(paths), actions);
}

void draw_recent(FileDesk& desk, float height, FileActions& actions) {
  const float width = kRecentShare * ImGui::GetContentRegionAvail().x;
  ImGui::BeginChild("##recent", {width, height}, false, ImGuiWindowFlags_NavFlattened);
  quiet_text(desk.recent.empty() ? "No recent files" : "Recent files");
  draw_recent_files(desk, actions);
  if (actions.recent) desk.dialog.purpose.reset();
  ImGui::EndChild();
  ImGui::SameLine();
}

/// Returns true if Return was pressed in the field.
bool draw_name(FileDialog& dialog, bool appears) {
  begin_row("name", "The extension says the format");
  if (appears) ImGui::SetKeyboardFocusHere();
  const bool entered =
      ImGui::InputText("##name", &dialog.name,
                       ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
  std::string known;
  for (const std::string& extension : file_use(*dialog.purpose).extensions())
    known += (known.empty() ? "" : ", ") + extension;
  quiet_text(known);
  return entered;
}

/// Draws what would be opened or written, and the buttons.
void draw_file_buttons(FileDialog& dialog, bool entered, FileActions& actions) {
  const FileUse& use = file_use(*dialog.purpose);
  std::vector<std::string> paths = wanted(dialog);
  std::error_code none;  // a path that cannot be looked at is told when it is written
  const bool replaces = use.saves() && !paths.empty() && fs::exists(paths.front(), none);
  if (ImGui::Checkbox("all files", &dialog.all_files)) list_entries(dialog);
  ImGui::SameLine();
  if (paths.size() > 1)
    quiet_text(fmt::format("{} files, shown as one cloud", paths.size()));
  else
    quiet_text(replaces ? "There is such a file" : "");
  const ImVec2 size{5.5F * ImGui::GetFontSize(), 0};
  const float gap = ImGui::GetStyle().ItemSpacing.x;
  ImGui::SameLine(ImGui::GetContentRegionMax().x - 2 * size.x - gap);
  if (ImGui::Button("cancel", size) || key_pressed(GLFW_KEY_ESCAPE)) {
    dialog.purpose.reset();
    ImGui::CloseCurrentPopup();
  }
  ImGui::SameLine();
  ImGui::BeginDisabled(paths.empty());
  const bool clicked = ImGui::Button(replaces ? "replace" : use.verb, size);
  if ((clicked || (entered && !replaces && !paths.empty())) && dialog.purpose)
    accept(dialog, std::move(paths), actions);
  ImGui::EndDisabled();
}

void draw_contents(FileDesk& desk, bool appears, FileActions& actions) {
  FileDialog& dialog = desk.dialog;
  const bool saves = file_use(*dialog.purpose).saves();
  draw_folder(dialog, actions);
  if (!dialog.purpose) return;
  if (!dialog.complaint.empty()) quiet_text(dialog.complaint);
  const float below = (saves ? 4.2F : 1.6F) * ImGui::GetFrameHeightWithSpacing();
  const float height = std::max(ImGui::GetContentRegionAvail().y - below, ImGui::GetFontSize());
  if (*dialog.purpose == FilePurpose::open) draw_recent(desk, height, actions);
  if (dialog.purpose) draw_files(dialog, height, actions);
  if (!dialog.purpose) return ImGui::CloseCurrentPopup();
  const bool entered = saves && draw_name(dialog, appears);
  draw_file_buttons(dialog, entered, actions);
  if (dialog.purpose && !ImGui::GetIO().WantTextInput && key_pressed(GLFW_KEY_BACKSPACE))
    go_to(dialog, fs::path(dialog.folder).parent_path());
}

}  // namespace

std::string base_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

void draw_recent_files(const FileDesk& desk, FileActions& actions) {
  for (std::size_t i = 0; i < desk.recent.size(); ++i) {
    const std::vector<std::string>& paths = desk.recent[i];
    std::string label = base_name(paths.front());
    if (paths.size() > 1) label += fmt::format(" and {} more", paths.size() - 1);
    ImGui::PushID(static_cast<int>(i));
    if (ImGui::Selectable(label.c_str())) actions.recent = i;
    explain(fmt::format("{}", fmt::join(paths, "\n")));
    ImGui::PopID();
  }
}

void ask_for_files(FileDialog& dialog, FilePurpose purpose) {
  dialog.purpose = purpose;
  dialog.name = file_use(purpose).name;
  std::error_code none;  // without a folder, list_entries() says why
  go_to(dialog, dialog.folder.empty() ? fs::current_path(none) : fs::path(dialog.folder));
}

void draw_file_dialog(FileDesk& desk, FileActions& actions) {
  FileDialog& dialog = desk.dialog;
  if (!dialog.purpose) return;
  const std::string title = std::string(file_use(*dialog.purpose).title) + "###files";
  const bool appears = std::exchange(dialog.appears, false);
  if (appears) ImGui::OpenPopup(title.c_str());
  if (!begin_dialog(title.c_str(), kFilesWidth, kFilesHeight)) {
    if (!appears) dialog.purpose.reset();  // closed by Dear ImGui
    return;
  }
  draw_contents(desk, appears, actions);
  ImGui::EndPopup();
}

}  // namespace skde::view::ui

#include "viewer/ui/panels/panels.hpp"

#include <GLFW/glfw3.h>
#include <fmt/core.h>
#include <imgui.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <vector>

#include "cli/text/terminal_text.hpp"
#include "viewer/session/view_fields.hpp"
#include "viewer/ui/imgui_input.hpp"
#include "viewer/ui/property_rows.hpp"
#include "viewer/ui/theme_drawing.hpp"

namespace skde::view::ui {
namespace {

constexpr const char* kTitle = "The action failed";
constexpr float kLetters = 26;  // width in letter heights

bool is_confirmed() { return key_pressed(GLFW_KEY_ENTER) || key_pressed(GLFW_KEY_ESCAPE); }

void draw_buttons(const std::string& error, const std::vector<Remedy>& remedies,
                  PanelActions& actions) {
  remedy_buttons(remedies, actions.files);
  if (actions.files.remedy) ImGui::CloseCurrentPopup();
  const float letter = ImGui::GetFontSize();
  const ImVec2 size{5.5f * letter, 0};
  if (ImGui::Button("copy", size)) ImGui::SetClipboardText(error.c_str());
  ImGui::SameLine(ImGui::GetContentRegionMax().x - size.x);
  if (ImGui::Button("OK", size) || is_confirmed()) {
    actions.dismiss_error = true;
    ImGui::CloseCurrentPopup();
  }
}

/// Shows an error, if not empty, until it is dismissed, with a button for each change that mends
/// it; blocks all other input meanwhile.
void draw_error_dialog(const std::string& error, const std::vector<Remedy>& remedies,
                       PanelActions& actions) {
  if (!error.empty() && !ImGui::IsPopupOpen(kTitle)) ImGui::OpenPopup(kTitle);
  if (!begin_dialog(kTitle, kLetters)) return;
  if (error.empty()) {
    ImGui::CloseCurrentPopup();
  } else {
    ImGui::Spacing();
    plain_text(error);
    ImGui::Spacing();
    draw_buttons(error, remedies, actions);
  }
  ImGui::EndPopup();
}

constexpr double kPatience = 0.2;                            // seconds before the bar appears
constexpr float kWidth = 360, kMargin = 16, kBarHeight = 6;  // pixels at scale 1

/// Draws the finished share, or a moving piece if the share is unknown.
void draw_bar(const std::optional<double>& share, float scale) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size{ImGui::GetContentRegionAvail().x, kBarHeight * scale};
  ImGui::Dummy(size);
  float from = 0, to = static_cast<float>(std::clamp(share.value_or(0), 0.0, 1.0));
  if (!share) {
    constexpr double kPeriod = 1.6, kPiece = 0.3;
    const double start = std::fmod(ImGui::GetTime() / kPeriod, 1.0) * (1 + kPiece) - kPiece;
    from = static_cast<float>(std::max(start, 0.0));
    to = static_cast<float>(std::min(start + kPiece, 1.0));
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float round = size.y / 2;
  list.AddRectFilled(at, {at.x + size.x, at.y + size.y}, ImGui::GetColorU32(ImGuiCol_FrameBg),
                     round);
  if (to > from)
    list.AddRectFilled({at.x + from * size.x, at.y}, {at.x + to * size.x, at.y + size.y},
                       ImGui::GetColorU32(ImGuiCol_SliderGrabActive), round);
}

std::string stage_text(const ProgressFact& progress) {
  const std::string stage = progress.stage.empty() ? "waiting" : progress.stage;
  const std::string since = cli::format_duration(progress.seconds);
  if (!progress.share) return fmt::format("{}, {}", stage, since);
  return fmt::format("{}, {:.0f} %, {}", stage, 100 * *progress.share, since);
}

/// Draws a progress bar with its stage and a cancel button over the lower edge of the views, if
/// something takes longer than a fifth of a second.
void draw_progress_overlay(const PanelFacts& facts, const PanelLayout& layout,
                           PanelActions& actions) {
  if (!facts.progress || facts.progress->seconds < kPatience) return;
  const float scale = layout.scale, margin = kMargin * scale;
  const glm::vec2 corner(layout.views.corner), size(layout.views.size);
  const float width = std::min(kWidth * scale, size.x - 2 * margin);
  ImGui::SetNextWindowPos({corner.x + size.x / 2, corner.y + size.y - margin}, ImGuiCond_Always,
                          {0.5f, 1});
  ImGui::SetNextWindowSize({width, 0});
  constexpr ImGuiWindowFlags kFlags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                      ImGuiWindowFlags_NoSavedSettings |
                                      ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav;
  if (ImGui::Begin("##progress", nullptr, kFlags)) {
    const float button = 4.5f * ImGui::GetFontSize();
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(stage_text(*facts.progress).c_str());
    ImGui::SameLine(ImGui::GetContentRegionMax().x - button);
    if (ImGui::Button("cancel", {button, 0})) actions.cancel = true;
    draw_bar(facts.progress->share, scale);
    if (!facts.progress->meanwhile.empty()) quiet_text(facts.progress->meanwhile);
  }
  ImGui::End();
}

struct KeyEntry {
  std::string key, meaning;
};

/// Returns the keys of commands, and behind them those of the fields of a view.
std::vector<KeyEntry> all_keys() {
  std::vector<KeyEntry> keys{
      {"F1, H", "this help; Escape closes it"},
      {"Ctrl+O, F5", "open files; read them again"},
      {"Ctrl+F", "find a control by its name or flag"},
      {"Ctrl+S", "save the view"},
      {"F12, Shift+F12", "write the picture; on white"},
      {"Ctrl+Z, Ctrl+Shift+Z, Ctrl+Y", "undo; redo"},
      {"Ctrl+C", "copy as skde density …"},
      {"Tab, F6", "hide or show the panels; go to them"},
      {"R", "reset the camera"},
      {"1, 3, 7", "look along +y, along −x, down"},
      {"Space", "turntable on or off"},
      {"+, -", "zoom in or out"},
      {"[, ]", "smaller or larger bandwidth"},
      {"C, K", "compare with half of h; slices through the peak"},
      {"U", "copy an address of the page that shows this view"},
  };
  for (const ViewField& field : view_fields()) {
    if (field.meaning == nullptr) continue;
    keys.push_back({"", field.meaning});
    KeyEntry& entry = keys.back();
    for (const char letter : field.letters)
      entry.key += fmt::format("{}{:c}", entry.key.empty() ? "" : " ", std::toupper(letter));
  }
  keys.push_back({"Q, Ctrl+Q", "quit"});
  return keys;
}

const std::vector<KeyEntry> kMouse{
    {"left drag", "orbit"},
    {"middle drag, Shift + left", "pan"},
    {"right drag, wheel", "zoom in or out"},
    {"Ctrl + drag, with Shift", "select samples by a box, by a lasso"},
    {"click on a point", "choose the sample or ellipsoid; pin the probe"},
    {"Ctrl + click on a slider", "type a number"},
    {"drop files", "open them"},
};

void draw_table(const char* id, std::span<const KeyEntry> entries, ImVec2 widest) {
  if (!ImGui::BeginTable(id, 2, ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingFixedFit)) return;
  ImGui::TableSetupColumn("key", 0, widest.x);
  ImGui::TableSetupColumn("meaning", 0, widest.y);
  for (const KeyEntry& entry : entries) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(entry.key.c_str());
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(entry.meaning.c_str());
  }
  ImGui::EndTable();
}

/// Draws what a new user needs first, until its button or F1 is pressed.
void draw_hint(PanelLayout& layout) {
  if (!layout.desk.hint) return;
  const float gap = 24 * layout.scale;
  const glm::vec2 corner(layout.views.corner), size(layout.views.size);
  ImGui::SetNextWindowPos({corner.x + size.x / 2, corner.y + gap}, ImGuiCond_Always, {0.5f, 0});
  constexpr ImGuiWindowFlags kFlags =
      ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
      ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoFocusOnAppearing;
  if (ImGui::Begin("##hint", nullptr, kFlags)) {
    ImGui::TextUnformatted("Ctrl+O opens files, or drop them here.");
    ImGui::TextUnformatted("Drag turns the volume, the wheel zooms, [ and ] change h.");
    ImGui::TextUnformatted("F1 lists all keys.");
    if (ImGui::Button("got it") || layout.help) layout.desk.hint = false;
  }
  ImGui::End();
}

/// Draws the table of keys and mouse actions over the views while layout.help is set.
void draw_help_overlay(PanelLayout& layout) {
  if (!layout.help) return;
  const bool dialog = ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup);
  if (!dialog && key_pressed(GLFW_KEY_ESCAPE)) layout.help = false;
  const glm::vec2 middle = glm::vec2(layout.views.corner) + 0.5f * glm::vec2(layout.views.size);
  ImGui::SetNextWindowPos({middle.x, middle.y}, ImGuiCond_Always, {0.5f, 0.5f});
  constexpr ImGuiWindowFlags kFlags = ImGuiWindowFlags_AlwaysAutoResize |
                                      ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoMove |
                                      ImGuiWindowFlags_NoSavedSettings;
  if (ImGui::Begin("Keys and mouse", &layout.help, kFlags)) {
    const std::vector<KeyEntry> keys = all_keys();
    ImVec2 widest;
    for (const std::span<const KeyEntry> table : {std::span(keys), std::span(kMouse)})
      for (const auto& [key, meaning] : table)
        widest = {std::max(widest.x, ImGui::CalcTextSize(key.c_str()).x),
                  std::max(widest.y, ImGui::CalcTextSize(meaning.c_str()).x)};
    draw_table("##keys", keys, widest);
    ImGui::Spacing();
    draw_table("##mouse", kMouse, widest);
  }
  ImGui::End();
}

/// Tells what has been done, such as where a picture was written.
void draw_notice(const PanelLayout& layout) {
  if (layout.notice.empty() || ImGui::GetTime() > layout.notice_until) return;
  const glm::ivec2 corner = layout.views.corner + layout.views.size;
  const float gap = 8 * layout.scale;
  const ImVec2 end{static_cast<float>(corner.x) - gap, static_cast<float>(corner.y) - gap};
  const ImVec2 size = ImGui::CalcTextSize(layout.notice.c_str());
  ImDrawList& list = *ImGui::GetForegroundDrawList();
  list.AddRectFilled({end.x - size.x - gap, end.y - size.y - gap}, {end.x + gap, end.y + gap},
                     ImGui::GetColorU32(ImGuiCol_PopupBg), 0.5F * gap);
  draw_outlined_text(list, layout.notice, end, {1, 1}, ImGui::GetColorU32(ImGuiCol_Text),
                     layout.scale);
}

/// Draws the dialog that is due: only one can take input.
void draw_dialogs(const PanelFacts& facts, PanelLayout& layout, PanelActions& actions) {
  const FileFacts& files = facts.file_facts;
  const ColumnChoice* const columns = files.columns ? &*files.columns : nullptr;
  if (draw_column_dialog(columns, files.remedies, layout.desk, actions.files))
    actions.dismiss_error = true;
  if (columns == nullptr) draw_error_dialog(facts.error, files.remedies, actions);
  if (columns == nullptr && facts.error.empty()) draw_file_dialog(layout.desk, actions.files);
}

}  // namespace

void show_notice(PanelLayout& layout, std::string notice) {
  constexpr double kSeconds = 5;
  layout.notice = std::move(notice);
  layout.notice_until = ImGui::GetTime() + kSeconds;
}

PanelActions draw_panels(ViewState& state, const PanelFacts& facts, PanelLayout& layout) {
  PanelActions actions;
  draw_side_window(state, facts, layout, actions);
  play_time(state, facts, layout);
  draw_hint(layout);
  draw_help_overlay(layout);
  draw_progress_overlay(facts, layout, actions);
  draw_notice(layout);
  draw_dialogs(facts, layout, actions);
  return actions;
}

}  // namespace skde::view::ui

#include "viewer/ui/overlays/help_overlay.hpp"

#include <GLFW/glfw3.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <span>

#include "viewer/ui/imgui_input.hpp"

namespace skde::view::ui {
namespace {

struct KeyEntry {
  const char* key;
  const char* meaning;
};

constexpr std::array kKeys{
    KeyEntry{"F1, H", "this help; Escape closes it"},
    KeyEntry{"Ctrl+O, F5", "open files; read them again"},
    KeyEntry{"Ctrl+S, F12", "save the view; write the picture"},
    KeyEntry{"Ctrl+Z, Ctrl+Shift+Z, Ctrl+Y", "undo; redo"},
    KeyEntry{"Ctrl+C", "copy as skde density …"},
    KeyEntry{"Tab, F6", "hide or show the panels; go to them"},
    KeyEntry{"R", "reset the camera"},
    KeyEntry{"1, 3, 7", "look along +y, along −x, down"},
    KeyEntry{"Space", "turntable on or off"},
    KeyEntry{"+, -", "zoom in or out"},
    KeyEntry{"[, ]", "smaller or larger bandwidth"},
    KeyEntry{"M", "show the method on one sample"},
    KeyEntry{"P", "show the samples as points"},
    KeyEntry{"S", "show the slices of the chosen sample"},
    KeyEntry{"G", "the method around the kernel, or on whole slices"},
    KeyEntry{", .", "slices of the method nearer; farther apart"},
    KeyEntry{"A", "the method goes on by itself (play), or stops"},
    KeyEntry{"E", "show ellipsoids: under, alone, off"},
    KeyEntry{"I", "probe: read the volume under the mouse"},
    KeyEntry{"Q, Ctrl+Q", "quit"},
};
constexpr std::array kMouse{
    KeyEntry{"left drag", "orbit"},
    KeyEntry{"middle drag, Shift + left", "pan"},
    KeyEntry{"right drag, wheel", "zoom in or out"},
    KeyEntry{"Ctrl + drag, with Shift", "select samples by a box, by a lasso"},
    KeyEntry{"click on a point", "choose the sample or ellipsoid; pin the probe"},
    KeyEntry{"Ctrl + click on a slider", "type a number"},
    KeyEntry{"drop files", "open them"},
};

/// Returns the width of the longest text in both tables, in pixels.
float widest(const char* KeyEntry::*text) {
  float width = 0;
  for (const std::span<const KeyEntry> table : {std::span<const KeyEntry>(kKeys), {kMouse}})
    for (const KeyEntry& entry : table) width = std::max(width, ImGui::CalcTextSize(entry.*text).x);
  return width;
}

void draw_table(const char* id, std::span<const KeyEntry> entries) {
  if (!ImGui::BeginTable(id, 2, ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingFixedFit)) return;
  ImGui::TableSetupColumn("key", 0, widest(&KeyEntry::key));
  ImGui::TableSetupColumn("meaning", 0, widest(&KeyEntry::meaning));
  for (const KeyEntry& entry : entries) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(entry.key);
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(entry.meaning);
  }
  ImGui::EndTable();
}

}  // namespace

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
    draw_table("##keys", kKeys);
    ImGui::Spacing();
    draw_table("##mouse", kMouse);
  }
  ImGui::End();
}

}  // namespace skde::view::ui

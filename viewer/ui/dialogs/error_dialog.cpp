#include "viewer/ui/dialogs/error_dialog.hpp"

#include <GLFW/glfw3.h>
#include <imgui.h>

#include "viewer/ui/dialogs/column_dialog.hpp"
#include "viewer/ui/imgui_input.hpp"

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

}  // namespace

void draw_error_dialog(const std::string& error, const std::vector<Remedy>& remedies,
                       PanelActions& actions) {
  if (!error.empty() && !ImGui::IsPopupOpen(kTitle)) ImGui::OpenPopup(kTitle);
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({display.x / 2, display.y / 2}, ImGuiCond_Always, {0.5f, 0.5f});
  ImGui::SetNextWindowSize({kLetters * ImGui::GetFontSize(), 0});
  constexpr ImGuiWindowFlags kFlags =
      ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings;
  if (!ImGui::BeginPopupModal(kTitle, nullptr, kFlags)) return;
  if (error.empty()) {
    ImGui::CloseCurrentPopup();
  } else {
    ImGui::Spacing();
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(error.c_str());
    ImGui::PopTextWrapPos();
    ImGui::Spacing();
    draw_buttons(error, remedies, actions);
  }
  ImGui::EndPopup();
}

}  // namespace skde::view::ui

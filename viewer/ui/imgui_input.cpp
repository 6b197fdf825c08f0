#include "viewer/ui/imgui_input.hpp"

#include <GLFW/glfw3.h>
#include <imgui.h>

#include <algorithm>
#include <cfloat>
#include <utility>

namespace skde::view::ui {
namespace {

#if IMGUI_VERSION_NUM >= 18700
constexpr ImGuiKey kKeypadEnter = ImGuiKey_KeypadEnter;
#else
constexpr ImGuiKey kKeypadEnter = ImGuiKey_KeyPadEnter;
#endif
constexpr std::pair<int, ImGuiKey> kNamedKeys[] = {{GLFW_KEY_TAB, ImGuiKey_Tab},
                                                   {GLFW_KEY_LEFT, ImGuiKey_LeftArrow},
                                                   {GLFW_KEY_RIGHT, ImGuiKey_RightArrow},
                                                   {GLFW_KEY_UP, ImGuiKey_UpArrow},
                                                   {GLFW_KEY_DOWN, ImGuiKey_DownArrow},
                                                   {GLFW_KEY_PAGE_UP, ImGuiKey_PageUp},
                                                   {GLFW_KEY_PAGE_DOWN, ImGuiKey_PageDown},
                                                   {GLFW_KEY_HOME, ImGuiKey_Home},
                                                   {GLFW_KEY_END, ImGuiKey_End},
                                                   {GLFW_KEY_INSERT, ImGuiKey_Insert},
                                                   {GLFW_KEY_DELETE, ImGuiKey_Delete},
                                                   {GLFW_KEY_BACKSPACE, ImGuiKey_Backspace},
                                                   {GLFW_KEY_SPACE, ImGuiKey_Space},
                                                   {GLFW_KEY_ENTER, ImGuiKey_Enter},
                                                   {GLFW_KEY_ESCAPE, ImGuiKey_Escape},
                                                   {GLFW_KEY_KP_ENTER, kKeypadEnter},
                                                   {GLFW_KEY_A, ImGuiKey_A},
                                                   {GLFW_KEY_C, ImGuiKey_C},
                                                   {GLFW_KEY_V, ImGuiKey_V},
                                                   {GLFW_KEY_X, ImGuiKey_X},
                                                   {GLFW_KEY_Y, ImGuiKey_Y},
                                                   {GLFW_KEY_Z, ImGuiKey_Z}};

ImVec2 place_of_mouse(bool inside, glm::dvec2 place) {
  return inside ? ImVec2(static_cast<float>(place.x), static_cast<float>(place.y))
                : ImVec2(-FLT_MAX, -FLT_MAX);
}

}  // namespace

#if IMGUI_VERSION_NUM >= 18700

namespace {

struct KeyRange {
  int first, last;  ///< codes of GLFW
  ImGuiKey key;     ///< of the first
};
constexpr KeyRange kKeyRanges[] = {{GLFW_KEY_A, GLFW_KEY_Z, ImGuiKey_A},
                                   {GLFW_KEY_0, GLFW_KEY_9, ImGuiKey_0},
                                   {GLFW_KEY_F1, GLFW_KEY_F12, ImGuiKey_F1},
                                   {GLFW_KEY_KP_0, GLFW_KEY_KP_9, ImGuiKey_Keypad0}};

ImGuiKey key_of(int code) {
  for (const auto& [first, last, key] : kKeyRanges)
    if (code >= first && code <= last) return static_cast<ImGuiKey>(key + (code - first));
  const auto* const named = std::ranges::find(kNamedKeys, code, &std::pair<int, ImGuiKey>::first);
  return named == std::end(kNamedKeys) ? ImGuiKey_None : named->second;
}

}  // namespace

void prepare_input(ImGuiIO& io) {
  io.ConfigInputTrickleEventQueue = false;  // InputQueue has chosen what comes into one frame
}

void set_key(ImGuiIO& io, int code, bool pressed) {
  if (const ImGuiKey key = key_of(code); key != ImGuiKey_None) io.AddKeyEvent(key, pressed);
}

void set_modifiers(ImGuiIO& io, const Modifiers& modifiers) {
  io.AddKeyEvent(ImGuiMod_Ctrl, modifiers.ctrl);
  io.AddKeyEvent(ImGuiMod_Shift, modifiers.shift);
  io.AddKeyEvent(ImGuiMod_Alt, modifiers.alt);
  io.AddKeyEvent(ImGuiMod_Super, modifiers.super);
}

void set_mouse(ImGuiIO& io, bool inside, glm::dvec2 place, std::span<const bool> buttons) {
  const ImVec2 at = place_of_mouse(inside, place);
  io.AddMousePosEvent(at.x, at.y);
  for (std::size_t i = 0; i < buttons.size(); ++i)
    io.AddMouseButtonEvent(static_cast<int>(i), buttons[i]);
}

void add_wheel(ImGuiIO& io, glm::dvec2 notches) {
  io.AddMouseWheelEvent(static_cast<float>(notches.x), static_cast<float>(notches.y));
}

bool key_pressed(int code) {
  const ImGuiKey key = key_of(code);
  return key != ImGuiKey_None && ImGui::IsKeyPressed(key, false);
}

#else

void prepare_input(ImGuiIO& io) {
  for (const auto& [code, key] : kNamedKeys) io.KeyMap[key] = code;
}

void set_key(ImGuiIO& io, int code, bool pressed) { io.KeysDown[code] = pressed; }

void set_modifiers(ImGuiIO& io, const Modifiers& modifiers) {
  io.KeyCtrl = modifiers.ctrl;
  io.KeyShift = modifiers.shift;
  io.KeyAlt = modifiers.alt;
  io.KeySuper = modifiers.super;
}

void set_mouse(ImGuiIO& io, bool inside, glm::dvec2 place, std::span<const bool> buttons) {
  io.MousePos = place_of_mouse(inside, place);
  std::ranges::copy(buttons, std::begin(io.MouseDown));
}

void add_wheel(ImGuiIO& io, glm::dvec2 notches) {
  io.MouseWheelH += static_cast<float>(notches.x);
  io.MouseWheel += static_cast<float>(notches.y);
}

bool key_pressed(int code) { return ImGui::IsKeyPressed(code, false); }

#endif

}  // namespace skde::view::ui

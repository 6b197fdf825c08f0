#include "viewer/window/input_queue.hpp"

#include <GLFW/glfw3.h>
#include <imgui.h>

#include <algorithm>

#include "viewer/ui/imgui_input.hpp"

namespace skde::view {
namespace {

/// Returns true for keys that move within typed text or end it; their order among letters matters.
bool is_control_key(int key) { return key >= GLFW_KEY_ESCAPE && key <= GLFW_KEY_END; }

bool is_modifier(int key) { return key >= GLFW_KEY_LEFT_SHIFT && key <= GLFW_KEY_RIGHT_SUPER; }

}  // namespace

bool InputQueue::is_held(int left, int right) const {
  return held_[static_cast<std::size_t>(left)] || held_[static_cast<std::size_t>(right)];
}

bool InputQueue::has_ctrl() const { return is_held(GLFW_KEY_LEFT_CONTROL, GLFW_KEY_RIGHT_CONTROL); }

bool InputQueue::take_key(const InputEvent& event, Taken& taken, ImGuiIO& io) {
  const auto key = static_cast<std::size_t>(event.code);
  if (event.code < 0 || key >= taken.keys.size()) return true;  // keys without a code
  const bool control = is_control_key(event.code);
  if (taken.keys[key] || taken.buttons || (control && taken.letters)) return false;
  // A modifier counts for the keys before it as it was.
  if (is_modifier(event.code) && (taken.plain_keys || taken.letters)) return false;
  taken.plain_keys |= !is_modifier(event.code);
  taken.keys[key] = true;
  taken.control_keys |= control && event.pressed;
  held_[key] = event.pressed;
  ui::set_key(io, event.code, event.pressed);
  // In lists Return chooses as Space does.
  const bool chooses = ImGui::GetCurrentContext() != nullptr && !io.WantTextInput &&
                       ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup);
  if (event.code == GLFW_KEY_ENTER && (chooses || !event.pressed))
    ui::set_key(io, GLFW_KEY_SPACE, event.pressed);
  if (is_modifier(event.code))
    ui::set_modifiers(io, {.ctrl = has_ctrl(),
                           .shift = is_held(GLFW_KEY_LEFT_SHIFT, GLFW_KEY_RIGHT_SHIFT),
                           .alt = is_held(GLFW_KEY_LEFT_ALT, GLFW_KEY_RIGHT_ALT),
                           .super = is_held(GLFW_KEY_LEFT_SUPER, GLFW_KEY_RIGHT_SUPER)});
  return true;
}

bool InputQueue::take(const InputEvent& event, Taken& taken, ImGuiIO& io) {
  using Kind = InputEvent::Kind;
  switch (event.kind) {
    case Kind::move:
    case Kind::leave:
      if (taken.buttons || taken.wheeled) return false;
      // With Ctrl a drag draws an outline, which needs each place that the mouse passes.
      if (taken.moved && has_ctrl() && std::ranges::count(down_, true) > 0) return false;
      taken.moved = true;
      inside_ = event.kind == Kind::move;
      if (inside_) mouse_ = event.place;
      return true;
    case Kind::button: {
      const auto button = static_cast<std::size_t>(event.code);
      if (event.code < 0 || button >= down_.size()) return true;
      if (taken.buttons || taken.wheeled || (taken.moved && !event.pressed)) return false;
      taken.buttons = true;
      down_[button] = event.pressed;
      return true;
    }
    case Kind::wheel:
      if (taken.buttons) return false;
      taken.wheeled = true;
      ui::add_wheel(io, event.place);
      return true;
    case Kind::key:
      return take_key(event, taken, io);
    case Kind::letter:
      if (taken.buttons || taken.control_keys) return false;
      taken.letters = true;
      io.AddInputCharacter(static_cast<unsigned>(event.code));
      return true;
  }
  return true;
}

void InputQueue::feed(ImGuiIO& io) {
  Taken taken;
  while (!events_.empty() && take(events_.front(), taken, io)) events_.pop_front();
  ui::set_mouse(io, inside_ || std::ranges::count(down_, true) > 0, mouse_, down_);
}

}  // namespace skde::view

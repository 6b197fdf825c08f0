#include "viewer/window/input_queue.hpp"

#include <GLFW/glfw3.h>
#include <imgui.h>

#include <algorithm>
#include <cfloat>

namespace skde::view {
namespace {

/// Returns true for keys that move within typed text or end it; their order among letters matters.
bool is_control_key(int key) { return key >= GLFW_KEY_ESCAPE && key <= GLFW_KEY_END; }

bool is_modifier(int key) { return key >= GLFW_KEY_LEFT_SHIFT && key <= GLFW_KEY_RIGHT_SUPER; }

void set_modifiers(ImGuiIO& io) {
  io.KeyCtrl = io.KeysDown[GLFW_KEY_LEFT_CONTROL] || io.KeysDown[GLFW_KEY_RIGHT_CONTROL];
  io.KeyShift = io.KeysDown[GLFW_KEY_LEFT_SHIFT] || io.KeysDown[GLFW_KEY_RIGHT_SHIFT];
  io.KeyAlt = io.KeysDown[GLFW_KEY_LEFT_ALT] || io.KeysDown[GLFW_KEY_RIGHT_ALT];
  io.KeySuper = io.KeysDown[GLFW_KEY_LEFT_SUPER] || io.KeysDown[GLFW_KEY_RIGHT_SUPER];
}

}  // namespace

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
  io.KeysDown[key] = event.pressed;
  set_modifiers(io);
  return true;
}

bool InputQueue::take(const InputEvent& event, Taken& taken, ImGuiIO& io) {
  using Kind = InputEvent::Kind;
  switch (event.kind) {
    case Kind::move:
    case Kind::leave:
      if (taken.buttons || taken.wheeled) return false;
      // With Ctrl a drag draws an outline, which needs each place that the mouse passes.
      if (taken.moved && io.KeyCtrl && std::ranges::count(down_, true) > 0) return false;
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
      io.MouseWheelH += static_cast<float>(event.place.x);
      io.MouseWheel += static_cast<float>(event.place.y);
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
  std::ranges::copy(down_, std::begin(io.MouseDown));
  const bool somewhere = inside_ || std::ranges::count(down_, true) > 0;
  io.MousePos = somewhere ? ImVec2(static_cast<float>(mouse_.x), static_cast<float>(mouse_.y))
                          : ImVec2(-FLT_MAX, -FLT_MAX);
}

}  // namespace skde::view

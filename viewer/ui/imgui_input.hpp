#pragma once

#include <glm/glm.hpp>
#include <span>

struct ImGuiIO;

namespace skde::view::ui {

// What a window passes to Dear ImGui, and keys by the codes of GLFW. Dear ImGui 1.87 replaced its
// arrays of the window's keys by events of its own keys; these functions are the same before it.

/// Passes the keys' names to a new context.
void prepare_input(ImGuiIO& io);

/// Tells the next frame that a key is held or was released.
void set_key(ImGuiIO& io, int code, bool pressed);

struct Modifiers {
  bool ctrl = false, shift = false, alt = false, super = false;
};
void set_modifiers(ImGuiIO& io, const Modifiers& modifiers);

/// Tells the next frame where the mouse is, if it is over the window, and which buttons are held.
void set_mouse(ImGuiIO& io, bool inside, glm::dvec2 place, std::span<const bool> buttons);
void add_wheel(ImGuiIO& io, glm::dvec2 notches);

/// Returns whether a key went down since the last frame.
bool key_pressed(int code);

}  // namespace skde::view::ui

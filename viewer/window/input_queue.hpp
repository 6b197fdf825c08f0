#pragma once

#include <array>
#include <deque>
#include <glm/glm.hpp>

struct ImGuiIO;

namespace skde::view {

/// An event of the mouse or the keyboard.
struct InputEvent {
  enum class Kind { move, leave, button, wheel, key, letter };
  Kind kind = Kind::move;
  int code = 0;  ///< GLFW's code of the button or the key, or the letter
  bool pressed = false;
  glm::dvec2 place{0};  ///< place of the mouse, or notches of the wheel
};

/// The input since the last frame, in order, for panels that read the input once per frame.
///
/// A frame takes as many events as it can tell apart. A press and its release go to two frames, and
/// so do the path of a drag and its release. So no click is lost in slow frames, and a drag ends
/// where it was released.
class InputQueue {
 public:
  void add(const InputEvent& event) { events_.push_back(event); }
  bool empty() const { return events_.empty(); }
  /// Passes a frame its events; call it just before the panels' frame begins.
  void feed(ImGuiIO& io);

 private:
  static constexpr std::size_t kKeys = 512;  // more than GLFW has codes
  /// What a frame has taken so far.
  struct Taken {
    bool moved = false, wheeled = false, letters = false, control_keys = false;
    bool plain_keys = false;  ///< any but modifiers
    bool buttons = false;
    std::array<bool, kKeys> keys{};
  };
  /// Returns false if the event must wait for the next frame.
  bool take(const InputEvent& event, Taken& taken, ImGuiIO& io);
  bool take_key(const InputEvent& event, Taken& taken, ImGuiIO& io);

  bool is_held(int left, int right) const;
  bool has_ctrl() const;

  std::deque<InputEvent> events_;
  std::array<bool, kKeys> held_{};
  std::array<bool, 5> down_{};
  bool inside_ = false;
  glm::dvec2 mouse_{0};
};

}  // namespace skde::view

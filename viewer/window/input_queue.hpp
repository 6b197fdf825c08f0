#pragma once

#include <array>
#include <deque>
#include <glm/glm.hpp>

struct ImGuiIO;

namespace skde::view {

/// Something that mouse or keyboard did.
struct InputEvent {
  enum class Kind { move, leave, button, wheel, key, letter };
  Kind kind = Kind::move;
  int code = 0;  ///< of the button or the key (as GLFW counts them), or the letter
  bool pressed = false;
  glm::dvec2 place{0};  ///< of the mouse; notches of the wheel
};

/// What came in since the last frame, in its order, for panels that look at the input once a frame.
///
/// A frame takes as much as it can tell apart: a press and its release go to two frames, and so do
/// the way of a drag and its release, so that in slow frames no click is lost and whatever was
/// dragged ends where it was let go.
class InputQueue {
 public:
  void add(const InputEvent& event) { events_.push_back(event); }
  bool empty() const { return events_.empty(); }
  /// Gives a frame its part; call it right before the panels' frame begins.
  void feed(ImGuiIO& io);

 private:
  /// What a frame has taken.
  struct Taken {
    bool moved = false, wheeled = false, letters = false, control_keys = false;
    bool buttons = false;
    std::array<bool, 512> keys{};
  };
  /// False where the event has to wait for the next frame.
  bool take(const InputEvent& event, Taken& taken, ImGuiIO& io);
  bool take_key(const InputEvent& event, Taken& taken, ImGuiIO& io);

  std::deque<InputEvent> events_;
  std::array<bool, 5> down_{};
  bool inside_ = false;
  glm::dvec2 mouse_{0};
};

}  // namespace skde::view

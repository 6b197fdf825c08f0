#pragma once

#include <array>
#include <deque>
#include <functional>
#include <glm/glm.hpp>
#include <memory>
#include <string>
#include <vector>

struct GLFWwindow;
struct ImGuiIO;

namespace skde::view {

struct ViewOptions;

/// An OpenGL 4.5 core context without a window, current in the thread that created it: on the first
/// EGL device that offers one (graphics cards before software), or else on a surfaceless display.
class HeadlessContext {
 public:
  /// Throws Error(resources) if no context is available.
  explicit HeadlessContext(bool debug = false);
  ~HeadlessContext();
  HeadlessContext(const HeadlessContext&) = delete;
  HeadlessContext& operator=(const HeadlessContext&) = delete;

 private:
  void* display_ = nullptr;
  void* context_ = nullptr;
};

/// Returns the renderer of the current context: "NVIDIA H200/PCIe/SXM5, OpenGL 4.5.0".
std::string renderer_name();

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

/// A window with an OpenGL 4.5 core context, which is current in the thread that created it.
class Window {
 public:
  /// `size` is in screen coordinates. Throws Error(resources) if there is no display or no OpenGL
  /// 4.5.
  Window(const std::string& title, glm::ivec2 size, bool debug);
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  bool should_close() const;
  void close();
  /// Processes events, waiting for them at most `longest` seconds; returns false if none came.
  bool wait_events(double longest);
  void swap();
  void set_title(const std::string& title);
  /// Size of the picture in pixels, and pixels per screen coordinate.
  glm::ivec2 framebuffer_size() const;
  float content_scale() const;
  GLFWwindow* handle() const { return window_; }

  /// The events of mouse and keyboard, as reported by GLFW.
  InputQueue& input() { return input_; }

  /// Called with the paths of files dropped on the window.
  std::function<void(std::vector<std::string>)> on_drop;

 private:
  void listen();

  GLFWwindow* window_ = nullptr;
  InputQueue input_;
};

/// Shows the view in a window until the user closes it, and saves it for the next session. Throws
/// Error(resources) if no window can be opened; later errors appear in the window.
void run_window(const ViewOptions& options);

}  // namespace skde::view

#pragma once

#include <functional>
#include <glm/glm.hpp>
#include <memory>
#include <string>
#include <vector>

#include "viewer/window/input_queue.hpp"

struct GLFWwindow;

namespace skde::view {

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

}  // namespace skde::view

#pragma once

#include <functional>
#include <glm/glm.hpp>
#include <memory>
#include <string>
#include <vector>

#include "viewer/window/input_queue.hpp"

struct GLFWwindow;

namespace skde::view {

/// A window with an OpenGL 4.5 core context that is current in the thread that made it.
class Window {
 public:
  /// `size` in screen coordinates. Throws Error(resources) where there is no display or no
  /// OpenGL 4.5.
  Window(const std::string& title, glm::ivec2 size, bool debug);
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  bool should_close() const;
  void close();
  /// Takes in events, for which it waits at most that many seconds; false where none came.
  bool wait_events(double longest);
  void swap();
  void set_title(const std::string& title);
  /// Pixels of the picture, and how many of them a screen coordinate has.
  glm::ivec2 framebuffer_size() const;
  float content_scale() const;
  GLFWwindow* handle() const { return window_; }

  /// What mouse and keyboard did, as GLFW told it event by event.
  InputQueue& input() { return input_; }

  /// Called with the paths of files that were dropped on the window.
  std::function<void(std::vector<std::string>)> on_drop;

 private:
  void listen();

  GLFWwindow* window_ = nullptr;
  InputQueue input_;
};

}  // namespace skde::view

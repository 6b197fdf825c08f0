#include "viewer/window/window.hpp"

#include <fmt/core.h>
#include <glad/gl.h>

#include <GLFW/glfw3.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "core/report/error.hpp"
#include "system/stop_watch.hpp"

namespace skde::view {
namespace {

std::string glfw_reason() {
  const char* reason = nullptr;
  glfwGetError(&reason);
  return reason != nullptr ? reason : "unknown reason";
}

Window& window_of(GLFWwindow* handle) {
  return *static_cast<Window*>(glfwGetWindowUserPointer(handle));
}

void add(GLFWwindow* handle, const InputEvent& event) { window_of(handle).input().add(event); }

/// Returns how many pixels a screen coordinate has, which is not 1 on Wayland and macOS.
glm::dvec2 pixels_per_unit(GLFWwindow* handle) {
  glm::ivec2 units, pixels;
  glfwGetWindowSize(handle, &units.x, &units.y);
  glfwGetFramebufferSize(handle, &pixels.x, &pixels.y);
  return glm::dvec2(pixels) / glm::dvec2(glm::max(units, 1));
}

using Kind = InputEvent::Kind;

/// Returns the code of a key by the letter on it, which depends on the keyboard's layout; GLFW's
/// codes are those of places. Where letters are not Latin, the place decides, as programs' users
/// expect there.
int key_by_letter(int key, int scancode) {
  if (key < GLFW_KEY_SPACE || key > GLFW_KEY_GRAVE_ACCENT) return key;
  const char* const name = glfwGetKeyName(key, scancode);
  if (name == nullptr || name[0] == 0 || name[1] != 0) return key;
  const auto letter = static_cast<unsigned char>(name[0]);
  if (std::isalpha(letter) != 0) return GLFW_KEY_A + std::toupper(letter) - 'A';
  return key >= GLFW_KEY_A && key <= GLFW_KEY_Z ? GLFW_KEY_UNKNOWN : key;
}

/// GLFW 3.4 has X11 and Wayland in one library, and would ask Wayland first. X11 is what windows
/// are tested with, so Wayland is for where there is no X11.
void choose_platform() {
#if GLFW_VERSION_MAJOR > 3 || GLFW_VERSION_MINOR >= 4
  if (std::getenv("DISPLAY") != nullptr || std::getenv("WAYLAND_DISPLAY") == nullptr)
    glfwInitHint(GLFW_PLATFORM, GLFW_PLATFORM_X11);
#endif
}

}  // namespace

Window::Window(const std::string& title, glm::ivec2 size, bool debug) {
  choose_platform();
  if (glfwInit() != GLFW_TRUE)
    throw Error(
        ErrorKind::resources,
        fmt::format(
            "no window can be opened ({}); use --screenshot FILE.png to draw without a display",
            glfw_reason()));
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 4);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 5);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_DEBUG_CONTEXT, debug ? GLFW_TRUE : GLFW_FALSE);
  glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
  glfwWindowHintString(GLFW_X11_CLASS_NAME, "skde-view");  // by which desktops find its icon
  glfwWindowHintString(GLFW_X11_INSTANCE_NAME, "skde-view");
  window_ = glfwCreateWindow(size.x, size.y, title.c_str(), nullptr, nullptr);
  if (window_ == nullptr) {
    const std::string reason = glfw_reason();
    glfwTerminate();
    throw Error(ErrorKind::resources,
                fmt::format("no window with OpenGL 4.5 can be opened ({}); install a newer driver",
                            reason));
  }
  glfwMakeContextCurrent(window_);
  glfwSwapInterval(1);
  gladLoadGL(glfwGetProcAddress);
  listen();
}

void Window::listen() {
  glfwSetWindowUserPointer(window_, this);
  glfwSetDropCallback(window_, [](GLFWwindow* handle, int count, const char** paths) {
    if (const auto& act = window_of(handle).on_drop) act({paths, paths + count});
  });
  glfwSetCursorPosCallback(window_, [](GLFWwindow* handle, double x, double y) {
    add(handle, {.kind = Kind::move, .place = glm::dvec2(x, y) * pixels_per_unit(handle)});
  });
  glfwSetCursorEnterCallback(window_, [](GLFWwindow* handle, int entered) {
    if (entered == GLFW_FALSE) add(handle, {.kind = Kind::leave});
  });
  glfwSetMouseButtonCallback(window_, [](GLFWwindow* handle, int button, int action, int) {
    add(handle, {.kind = Kind::button, .code = button, .pressed = action == GLFW_PRESS});
  });
  glfwSetScrollCallback(window_, [](GLFWwindow* handle, double x, double y) {
    add(handle, {.kind = Kind::wheel, .place = {x, y}});
  });
  // The panels generate key repeats themselves.
  glfwSetKeyCallback(window_, [](GLFWwindow* handle, int key, int scancode, int action, int) {
    if (action != GLFW_REPEAT)
      add(handle, {.kind = Kind::key,
                   .code = key_by_letter(key, scancode),
                   .pressed = action == GLFW_PRESS});
  });
  glfwSetCharCallback(window_, [](GLFWwindow* handle, unsigned letter) {
    add(handle, {.kind = Kind::letter, .code = static_cast<int>(letter)});
  });
}

Window::~Window() {
  glfwDestroyWindow(window_);
  glfwTerminate();
}

bool Window::should_close() const { return glfwWindowShouldClose(window_) == GLFW_TRUE; }
void Window::close() { glfwSetWindowShouldClose(window_, GLFW_TRUE); }

bool Window::wait_events(double longest) {
  if (longest <= 0 || !input_.empty()) {
    glfwPollEvents();
    return true;
  }
  const StopWatch watch;
  glfwWaitEventsTimeout(longest);
  return watch.seconds() < longest;
}

void Window::swap() { glfwSwapBuffers(window_); }
void Window::set_title(const std::string& title) { glfwSetWindowTitle(window_, title.c_str()); }

glm::ivec2 Window::framebuffer_size() const {
  glm::ivec2 size;
  glfwGetFramebufferSize(window_, &size.x, &size.y);
  return size;
}

float Window::content_scale() const {
  float x = 1, y = 1;
  glfwGetWindowContentScale(window_, &x, &y);
  return std::max(x, y);
}

}  // namespace skde::view

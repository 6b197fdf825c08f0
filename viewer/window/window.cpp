#include "viewer/window/window.hpp"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLFW/glfw3.h>
#include <fmt/core.h>
#include <glad/gl.h>
#include <imgui.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "core/report/error.hpp"
#include "system/stop_watch.hpp"
#include "viewer/ui/imgui_input.hpp"

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

bool names(const char* list, std::string_view word) {
  return list != nullptr && std::string_view(list).find(word) != std::string_view::npos;
}

/// Returns the displays of all devices, hardware before software, then the surfaceless one.
std::vector<EGLDisplay> displays() {
  std::vector<EGLDisplay> hardware, software;
  const char* const extensions = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
  const auto query_devices =
      reinterpret_cast<PFNEGLQUERYDEVICESEXTPROC>(eglGetProcAddress("eglQueryDevicesEXT"));
  const auto device_string = reinterpret_cast<PFNEGLQUERYDEVICESTRINGEXTPROC>(
      eglGetProcAddress("eglQueryDeviceStringEXT"));
  if (names(extensions, "EGL_EXT_platform_device") && query_devices && device_string) {
    std::vector<EGLDeviceEXT> devices(32);
    EGLint count = 0;
    if (!query_devices(static_cast<EGLint>(devices.size()), devices.data(), &count)) count = 0;
    devices.resize(static_cast<std::size_t>(count));
    for (EGLDeviceEXT device : devices) {
      const bool soft = names(device_string(device, EGL_EXTENSIONS), "EGL_MESA_device_software");
      (soft ? software : hardware)
          .push_back(eglGetPlatformDisplay(EGL_PLATFORM_DEVICE_EXT, device, nullptr));
    }
  }
  hardware.insert(hardware.end(), software.begin(), software.end());
  if (names(extensions, "EGL_MESA_platform_surfaceless"))
    hardware.push_back(eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, nullptr, nullptr));
  return hardware;
}

EGLContext make_context(EGLDisplay display, bool debug) {
  if (display == EGL_NO_DISPLAY || !eglInitialize(display, nullptr, nullptr)) return EGL_NO_CONTEXT;
  const EGLint attributes[] = {EGL_CONTEXT_MAJOR_VERSION,
                               4,
                               EGL_CONTEXT_MINOR_VERSION,
                               5,
                               EGL_CONTEXT_OPENGL_PROFILE_MASK,
                               EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                               EGL_CONTEXT_OPENGL_DEBUG,
                               debug ? EGL_TRUE : EGL_FALSE,
                               EGL_NONE};
  EGLContext context = EGL_NO_CONTEXT;
  if (eglBindAPI(EGL_OPENGL_API))
    context = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, attributes);
  if (context != EGL_NO_CONTEXT && eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context))
    return context;
  if (context != EGL_NO_CONTEXT) eglDestroyContext(display, context);
  eglTerminate(display);
  return EGL_NO_CONTEXT;
}

/// Returns true for keys that move within typed text or end it; their order among letters matters.
bool is_control_key(int key) { return key >= GLFW_KEY_ESCAPE && key <= GLFW_KEY_END; }

bool is_modifier(int key) { return key >= GLFW_KEY_LEFT_SHIFT && key <= GLFW_KEY_RIGHT_SUPER; }

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

HeadlessContext::HeadlessContext(bool debug) {
  for (EGLDisplay display : displays()) {
    EGLContext context = make_context(display, debug);
    if (context == EGL_NO_CONTEXT) continue;
    display_ = display;
    context_ = context;
    if (gladLoadGL(reinterpret_cast<GLADloadfunc>(eglGetProcAddress)) != 0) return;
    throw Error(ErrorKind::resources,
                "the OpenGL driver does not support OpenGL 4.5; install a newer driver, or "
                "libgl1-mesa-dri for software rendering");
  }
  throw Error(ErrorKind::resources,
              "no EGL device supports OpenGL 4.5; install a driver, or libegl-mesa0 and "
              "libgl1-mesa-dri for software rendering");
}

HeadlessContext::~HeadlessContext() {
  eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
  eglDestroyContext(display_, context_);
  eglTerminate(display_);
}

std::string renderer_name() {
  return fmt::format("{}, OpenGL {}", reinterpret_cast<const char*>(glGetString(GL_RENDERER)),
                     reinterpret_cast<const char*>(glGetString(GL_VERSION)));
}

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

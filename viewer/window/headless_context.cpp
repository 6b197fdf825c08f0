#include "viewer/window/headless_context.hpp"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <fmt/core.h>
#include <glad/gl.h>

#include <string_view>
#include <utility>
#include <vector>

#include "core/report/error.hpp"

namespace skde::view {
namespace {

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

}  // namespace

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

}  // namespace skde::view

#pragma once

#include <string>

namespace skde::view {

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

}  // namespace skde::view

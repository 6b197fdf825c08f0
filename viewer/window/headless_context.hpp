#pragma once

#include <string>

namespace skde::view {

/// An OpenGL 4.5 core context without a window, current in the thread that made it: on the first
/// EGL device that offers one (graphics cards before software), or else on a surfaceless display.
class HeadlessContext {
 public:
  /// Throws Error(resources) where no context can be had.
  explicit HeadlessContext(bool debug = false);
  ~HeadlessContext();
  HeadlessContext(const HeadlessContext&) = delete;
  HeadlessContext& operator=(const HeadlessContext&) = delete;

 private:
  void* display_ = nullptr;
  void* context_ = nullptr;
};

/// "NVIDIA H200/PCIe/SXM5, OpenGL 4.5.0": what draws in the current context.
std::string renderer_name();

}  // namespace skde::view

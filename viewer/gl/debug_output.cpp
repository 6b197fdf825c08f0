#include "viewer/gl/debug_output.hpp"

#include <glad/gl.h>

namespace skde::view::gl {
namespace {

constexpr std::size_t kMostErrors = 100;

void GLAD_API_PTR collect(GLenum /*source*/, GLenum type, GLuint /*id*/, GLenum /*severity*/,
                          GLsizei length, const GLchar* message, const void* errors) {
  if (type != GL_DEBUG_TYPE_ERROR) return;
  auto& list = *static_cast<std::vector<std::string>*>(const_cast<void*>(errors));
  if (list.size() < kMostErrors) list.emplace_back(message, static_cast<std::size_t>(length));
}

}  // namespace

DebugOutput::DebugOutput() {
  glEnable(GL_DEBUG_OUTPUT);
  glEnable(GL_DEBUG_OUTPUT_SYNCHRONOUS);
  glDebugMessageCallback(collect, &errors_);
}

DebugOutput::~DebugOutput() { glDebugMessageCallback(nullptr, nullptr); }

}  // namespace skde::view::gl

#pragma once

#include "support/catch.hpp"
#include "viewer/gl/objects.hpp"
#include "viewer/window/window.hpp"

namespace skde::test {

/// A context without a window, for tests that draw. The test fails if the driver reports an error.
class GlFixture {
 public:
  ~GlFixture() {
    for (const std::string& error : debug_.errors()) UNSCOPED_INFO(error);
    CHECK(debug_.errors().empty());
  }

 private:
  view::HeadlessContext context_{true};
  view::gl::DebugOutput debug_;
};

/// Fills a framebuffer with a colour, and clears its depths.
inline void clear(const view::gl::Framebuffer& target, glm::vec4 color) {
  glClearNamedFramebufferfv(target.id(), GL_COLOR, 0, &color.x);
  target.draw_depths();
  target.clear_depths();
}

}  // namespace skde::test

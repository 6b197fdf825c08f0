#include "viewer/gl/shader_program.hpp"

#include "viewer/gl_fixture.hpp"

namespace {

using namespace skde::view;

TEST_CASE("a shader's includes stand in their places") {
  const std::string source = gl::shader_source("hash.glsl");
  CHECK(source.find("float hash(uvec2 pixel)") != std::string::npos);
  CHECK_THROWS_WITH(gl::shader_source("missing.comp"),
                    Catch::Matchers::ContainsSubstring("missing.comp"));
}

TEST_CASE_METHOD(skde::test::GlFixture, "programs are compiled again in their places") {
  gl::ShaderProgram lines{"line.vert", "line.frag"};
  const GLuint before = lines.id();
  {
    const gl::ShaderProgram points{"point.vert", "point.frag"};
    gl::ShaderProgram::reload_all();
    CHECK(glIsProgram(points.id()) == GL_TRUE);
  }
  CHECK(lines.id() != before);
  CHECK(glIsProgram(lines.id()) == GL_TRUE);
  CHECK(glIsProgram(before) == GL_FALSE);
  gl::ShaderProgram::reload_all();
}

TEST_CASE_METHOD(skde::test::GlFixture, "a context without a window offers OpenGL 4.5") {
  CHECK(renderer_name().find("OpenGL 4.") != std::string::npos);
}

}  // namespace

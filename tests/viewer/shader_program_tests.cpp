#include "viewer/gl/shader_program.hpp"

#include "viewer/gl_fixture.hpp"

namespace {

using namespace skde::view;

TEST_CASE("a shader's includes stand in their places") {
  const std::string source = gl::shader_source("hash.glsl");
  CHECK(source.find("float hash(uvec2 pixel)") != std::string::npos);
  CHECK_THROWS_WITH(gl::shader_source("missing.comp"), Catch::Contains("missing.comp"));
}

TEST_CASE_METHOD(skde::test::GlFixture, "a context without a window offers OpenGL 4.5") {
  CHECK(renderer_name().find("OpenGL 4.") != std::string::npos);
}

}  // namespace

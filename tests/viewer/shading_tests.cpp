#include "viewer/gl_fixture.hpp"
#include "viewer/volume_pictures.hpp"

namespace {

using namespace skde;
using namespace skde::view;
using test::draw;

constexpr glm::ivec2 kShadedSize{81, 61};
// Cells of very unequal edges, in which a gradient per cell would point elsewhere.
const Grid kShadedGrid{{-2, -2, -2}, {0.05, 0.2, 0.1}, {80, 20, 40}};
const glm::vec3 kColor{0.5F, 0.3F, 0.2F};

TEST_CASE_METHOD(test::GlFixture, "surfaces are lit by their slope in the world, not in cells") {
  const glm::dvec3 normal =
      glm::normalize(GENERATE(glm::dvec3(0.2, -1, 0.4), glm::dvec3(-0.7, -0.8, 0.1),
                              glm::dvec3(0.5, 0.9, 0.6), glm::dvec3(0.1, -0.5, -0.9)));
  VolumeView view;
  const auto upload = [&](const glm::dvec3& slope) {
    view.upload(test::volume_of(kShadedGrid, [&](Vec3 w) {
      return std::max(0.0, 1 + slope.x * w.x + slope.y * w.y + slope.z * w.z);
    }));
  };
  upload(normal);
  VolumeLook look = test::white_look(2, 1);
  // Opaque on the far side of the plane, which lies at the middle of the axis, and clear in front
  // of it.
  const bool rising = normal.y > 0;
  look.colors.assign(61, glm::vec4(kColor, 0));
  for (std::size_t i = 0; i < 61; ++i) look.colors[i].a = (i >= 30) == rising ? 1.0F : 0.0F;
  Camera camera;
  camera.look(AxisView::front);
  const Perspective seen_by = view.perspective(camera, kShadedSize);
  glm::dvec3 expected = test::lit(kColor, normal, seen_by.forward(), seen_by);
  double margin = 2;
  SECTION("isosurface") {
    look.mode = RenderMode::isosurface;
    upload(rising ? normal : -normal);  // else the front face of the box cuts the body
  }
  SECTION("composite") {
    look.gradient_shading = true;
    look.quality = 4;
    margin = 4;
    expected = test::lit(kColor, normal, seen_by.forward(), seen_by, true);
  }
  const auto seen = draw(view, camera, look, test::bare_options(), kShadedSize).at(40, 30);
  for (int channel = 0; channel < 3; ++channel)
    CHECK(seen[static_cast<std::size_t>(channel)] == Approx(expected[channel]).margin(margin));
}

}  // namespace

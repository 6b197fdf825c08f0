#include "core/kernel/ellipsoid.hpp"
#include "core/kernel/kernel_shape.hpp"
#include "viewer/gl_fixture.hpp"
#include "viewer/volume_pictures.hpp"

namespace {

using namespace skde;
using namespace skde::view;
using test::draw;
using test::GlFixture;
using test::PlaneMoments;

constexpr glm::ivec2 kOrientedSize{320, 240};
constexpr glm::dvec2 kOrientedMiddle{160, 120};
// Cells with unequal edges, unequal dims, far from the origin.
const Grid kOrientedGrid{{1e6, -2e5, 300}, {0.05, 0.08, 0.11}, {90, 44, 38}};
const Symmetric3 kShape{0.35, 0.18, -0.15, 0.30, 0.10, 0.40};
const Vec3 kCentre = kOrientedGrid.lower + Vec3{1.7, 2.0, 2.3};

/// 1 - q inside a rotated ellipsoid that is not in the middle of the box, 0 outside.
struct Blob {
  Ellipsoid<double> ellipsoid = make_ellipsoid(kShape, kOrientedGrid);

  double operator()(Vec3 world) const {
    const Vec3 d = kOrientedGrid.to_cells(world) - kOrientedGrid.to_cells(kCentre);
    return std::max(0.0, 1 - ellipsoid.q(d.x, d.y, d.z));
  }
};

/// Returns the moments of the line integrals along the rays of all pixels. Mass at a place is
/// weighted by the number of pixels that see it, given by its distance along the ray and the slant
/// of the ray.
PlaneMoments expected_moments(const Perspective& perspective, const SceneFrame& frame) {
  const Blob blob;
  PlaneMoments moments;
  constexpr int kSteps = 33;
  const auto at = [](int step) { return static_cast<double>(step) / kSteps; };
  for (int k = -kSteps; k <= kSteps; ++k)
    for (int j = -kSteps; j <= kSteps; ++j)
      for (int i = -kSteps; i <= kSteps; ++i) {
        const Vec3 world = kCentre + Vec3{at(i), at(j), at(k)};
        const double density = blob(world);
        if (density == 0) continue;
        const glm::dvec3 scene = frame.to_scene(world);
        const glm::dvec3 pixel = perspective.project(scene).value();
        const double distance = glm::length(scene - perspective.eye());
        moments.add(density * distance / std::pow(pixel.z, 3), pixel.x, pixel.y);
      }
  return moments.central();
}

/// Returns the moments of the optical depths in a picture of white on black.
PlaneMoments picture_moments(const Picture& picture) {
  PlaneMoments moments;
  for (int y = 0; y < picture.height; ++y)
    for (int x = 0; x < picture.width; ++x)
      moments.add(-std::log(1 - std::min(picture.at(x, y)[0] / 255.0, 0.999)), x + 0.5, y + 0.5);
  return moments.central();
}

TEST_CASE_METHOD(GlFixture, "an ellipsoid appears where and as it is from every side") {
  VolumeView view;
  view.upload(test::volume_of(kOrientedGrid, Blob()));
  Camera camera;
  SECTION("front") { camera.look(AxisView::front); }
  SECTION("right") { camera.look(AxisView::right); }
  SECTION("top") { camera.look(AxisView::top); }
  SECTION("from behind and below") { camera = {70, -35, 1.2, {}}; }
  SECTION("aslant with the focus elsewhere") { camera = {-150, 50, 0.9, {0.1, 0.05, -0.1}}; }
  const Picture picture =
      draw(view, camera, test::white_look(1, 0.03F), test::bare_options(), kOrientedSize);
  const PlaneMoments seen = picture_moments(picture);
  const PlaneMoments expected =
      expected_moments(view.perspective(camera, kOrientedSize), view.frame());
  REQUIRE(seen.weight > 50);
  CHECK(seen.x == Approx(expected.x).margin(0.25));
  CHECK(seen.y == Approx(expected.y).margin(0.25));
  const double tolerance = 0.02 * (expected.xx + expected.yy);
  CHECK(seen.xx == Approx(expected.xx).margin(tolerance));
  CHECK(seen.xy == Approx(expected.xy).margin(tolerance));
  CHECK(seen.yy == Approx(expected.yy).margin(tolerance));
}

TEST_CASE_METHOD(GlFixture, "the front view has x to the right and z upwards") {
  VolumeView view;
  // All the mass lies at large x and small z.
  const Box box = kOrientedGrid.bounds();
  view.upload(test::volume_of(kOrientedGrid, [&](Vec3 w) {
    return w.x > box.centre().x + 1 && w.z < box.centre().z - 1 ? 1.0 : 0.0;
  }));
  Camera camera;
  camera.look(AxisView::front);
  const PlaneMoments seen = picture_moments(
      draw(view, camera, test::white_look(1, 0.03F), test::bare_options(), kOrientedSize));
  CHECK(seen.x > kOrientedMiddle.x + 20);
  CHECK(seen.y > kOrientedMiddle.y + 20);
}

}  // namespace

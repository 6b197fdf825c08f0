#include "viewer/layers/space/camera.hpp"

#include <random>

#include "support/catch.hpp"
#include "viewer/layers/space/scene_frame.hpp"

namespace {

using namespace skde;
using namespace skde::view;

constexpr glm::ivec2 kViewport{640, 480};
constexpr double kRadius = 0.8;

Perspective seen(const Camera& camera) { return {camera, kRadius, kViewport}; }

glm::dvec2 pixel_of(const Camera& camera, glm::dvec3 place) {
  const auto pixel = seen(camera).project(place);
  REQUIRE(pixel.has_value());
  return {*pixel};
}

TEST_CASE("a ray through a pixel meets the places that are projected there") {
  Camera camera{37, -20, 1.7, {0.1, -0.05, 0.2}};
  for (const glm::ivec2 viewport : {kViewport, glm::ivec2(300, 900)}) {
    const Perspective perspective(camera, kRadius, viewport);
    for (const glm::dvec2 pixel :
         {glm::dvec2(0.5, 0.5), glm::dvec2(211, 77), glm::dvec2(299, 450)}) {
      const Ray ray = perspective.ray(pixel);
      const auto back = perspective.project(ray.origin + 2.3 * ray.direction);
      REQUIRE(back.has_value());
      CHECK(back->x == Approx(pixel.x).margin(1e-9));
      CHECK(back->y == Approx(pixel.y).margin(1e-9));
    }
  }
}

TEST_CASE("matrices and project agree") {
  const Perspective perspective = seen({-110, 33, 0.8, {0.2, 0, -0.1}});
  const glm::dvec3 place(0.3, -0.4, 0.1);
  const glm::dvec4 clip = perspective.projection() * perspective.view() * glm::dvec4(place, 1);
  const auto pixel = perspective.project(place);
  REQUIRE(pixel.has_value());
  CHECK((clip.x / clip.w + 1) / 2 * kViewport.x == Approx(pixel->x));
  CHECK((1 - clip.y / clip.w) / 2 * kViewport.y == Approx(pixel->y));
  CHECK(clip.w == Approx(pixel->z));
  CHECK(clip.z / clip.w > -1);
  CHECK(clip.z / clip.w < 1);
}

TEST_CASE("a cloud is first seen from its broad side, with z upwards") {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  // The area of an ellipsoid's shadow, squared, but for a factor.
  const auto shadow = [](const glm::dmat3& covariance, const Camera& camera) {
    const glm::dvec3 towards = -seen(camera).forward();
    return glm::determinant(covariance) * glm::dot(towards, glm::inverse(covariance) * towards);
  };
  for (int i = 0; i < 500; ++i) {
    glm::dmat3 root;
    for (int k = 0; k < 9; ++k) root[k / 3][k % 3] = (k % 3 + 0.2) * normal(random);
    const glm::dmat3 spread = root * glm::transpose(root);
    // The camera's angles are whole degrees.
    CHECK(shadow(spread, first_camera(spread)) > 0.97 * shadow(spread, Camera()));
  }
  CHECK(first_camera(glm::dmat3(7)) == Camera());
  const Camera slab = first_camera(glm::dmat3({1, 0, 0}, {0, 1, 0}, {0, 0, 0}));
  CHECK(slab == Camera{-60, 54});  // tan = 3 tan 25 degrees
}

TEST_CASE("axis views show the axes where the keys promise them") {
  const auto check = [](AxisView view, glm::dvec3 rightwards, glm::dvec3 upwards) {
    Camera camera;
    camera.look(view);
    const glm::dvec2 middle = pixel_of(camera, glm::dvec3(0));
    const glm::dvec2 right = pixel_of(camera, 0.3 * rightwards);
    const glm::dvec2 above = pixel_of(camera, 0.3 * upwards);
    CHECK(middle.x == Approx(320));
    CHECK(middle.y == Approx(240));
    CHECK(right.x > 340);
    CHECK(right.y == Approx(240));
    CHECK(above.x == Approx(320));
    CHECK(above.y < 220);
  };
  check(AxisView::front, {1, 0, 0}, {0, 0, 1});
  check(AxisView::right, {0, 1, 0}, {0, 0, 1});
  check(AxisView::top, {1, 0, 0}, {0, 1, 0});
}

TEST_CASE("zoom 1 shows the sphere around the box whole in any picture") {
  for (const glm::ivec2 viewport : {kViewport, glm::ivec2(200, 600)}) {
    const Perspective perspective({}, kRadius, viewport);
    const double distance = glm::length(perspective.eye());
    const double radius = kRadius / distance / std::sqrt(1 - std::pow(kRadius / distance, 2)) *
                          perspective.pixels_at(1);
    CHECK(radius == Approx(0.5 * std::min(viewport.x, viewport.y)));
  }
}

TEST_CASE("drags move the scene with the mouse") {
  Camera camera{-90, 0};
  const glm::dvec3 front(0, -0.4, 0);
  SECTION("turned to the right and downwards") {
    camera.rotate({30, 20}, kViewport);
    CHECK(pixel_of(camera, front).x > 330);
    CHECK(pixel_of(camera, front).y > 250);
  }
  SECTION("never over the poles") {
    camera.rotate({0, 5000}, kViewport);
    CHECK(camera.elevation == 90);
  }
  SECTION("panned by just the drag") {
    const glm::dvec3 focus = camera.focus;
    camera.pan({50, -30}, kViewport, kRadius);
    CHECK(pixel_of(camera, focus).x == Approx(370));
    CHECK(pixel_of(camera, focus).y == Approx(210));
  }
  SECTION("upwards is nearer, and the wheel as well") {
    camera.dolly({0, -40}, kViewport);
    CHECK(camera.zoom > 1.1);
    const double zoom = camera.zoom;
    camera.scroll(-1);
    CHECK(camera.zoom < zoom);
  }
}

TEST_CASE("an orthographic camera shows equal lengths equally, wherever they are") {
  Camera camera{0, 0, 3, {}};  // along -x
  camera.orthographic = true;
  const auto length_at = [&](double x) {
    return pixel_of(camera, {x, 0.1, 0}).x - pixel_of(camera, {x, -0.1, 0}).x;
  };
  // The sphere of the box fills the shorter side at zoom 1.
  CHECK(length_at(0) == Approx(3 * 0.2 * kViewport.y / (2 * kRadius)).epsilon(1e-5));
  CHECK(length_at(0.5) == Approx(length_at(-0.5)).epsilon(4e-3));
  camera.orthographic = false;
  CHECK(length_at(0.5) > 1.5 * length_at(-0.5));
}

TEST_CASE("a scene frame keeps places near a million apart") {
  const SceneFrame frame(Box{{1e6, -2e6, 10}, {1e6 + 4, -2e6 + 2, 11}});
  CHECK(frame.half().x == 0.5);
  CHECK(frame.half().y == 0.25);
  CHECK(frame.half().z == 0.125);
  const glm::dvec3 scene = frame.to_scene({1e6 + 3, -2e6, 11});
  CHECK(scene.x == Approx(0.25));
  CHECK(scene.y == Approx(-0.25));
  CHECK(scene.z == Approx(0.125));
  const glm::dvec3 back = scene * frame.unit() + glm::dvec3(1e6 + 2, -2e6 + 1, 10.5);
  CHECK(back.x == Approx(1e6 + 3).epsilon(1e-14));
  const SceneFrame cube(Box{{0, 0, 0}, {4, 2, 1}}, true);
  CHECK(cube.half().z == 0.5);
  CHECK(cube.to_scene({4, 2, 1}).y == 0.5);
}

}  // namespace

#include "viewer/layers/space/scene_overlay.hpp"

#include "core/cloud/synthetic_cloud.hpp"
#include "core/kernel/kernel_shape.hpp"
#include "support/catch.hpp"
#include "viewer/gl_fixture.hpp"
#include "viewer/layers/samples/sample_layer.hpp"
#include "viewer/volume_pictures.hpp"

namespace {

using namespace skde;
using namespace skde::view;
using test::draw;
using test::greatest_difference;

constexpr glm::ivec2 kOverlaySize{400, 300};
constexpr glm::vec2 kOverlayMiddle{200, 150};

TEST_CASE("the triad's letters lie where the axes point") {
  Camera camera;
  camera.look(AxisView::front);
  const AxesTriad triad = axes_triad({camera, 0.8, kOverlaySize}, 1, kDarkInks.axes);
  CHECK(triad.letters[0].text == "x");
  CHECK(triad.letters[0].pixel.x > triad.letters[1].pixel.x + 20);
  CHECK(triad.letters[2].pixel.y < triad.letters[1].pixel.y - 20);
  CHECK(triad.letters[1].pixel.y > kOverlayMiddle.y);  // in the lower left corner
  CHECK(triad.letters[1].pixel.x < kOverlayMiddle.x);
}

TEST_CASE("edges of the box lie before or behind the volume") {
  const Box box{{0, 0, 0}, {4, 3, 2}};
  const SceneFrame frame(box);
  const auto lines = [&](const Camera& camera) {
    return box_lines(box, frame, {camera, frame.radius(), kOverlaySize}, {{}, "m"}, glm::vec4(1),
                     1);
  };
  const SceneLines outside = lines({-60, 25});
  CHECK(outside.behind.size() == 3);
  // The nine other edges come with ticks of three axes, and each tick with a label.
  CHECK(outside.before.size() > 9 + 3 * 2);
  CHECK(outside.labels.size() == outside.before.size() - 9 + 3);
  const auto caption = std::find_if(outside.labels.begin(), outside.labels.end(),
                                    [](const SceneLabel& label) { return label.text == "x (m)"; });
  REQUIRE(caption != outside.labels.end());
  CHECK(caption->pixel.y > kOverlayMiddle.y);  // below the box
  Camera inside{-60, 25, 100};
  CHECK(lines(inside).behind.size() == 12);
  CHECK(lines(inside).labels.empty());
}

TEST_CASE("the lines of an ellipsoid lie on it") {
  const Symmetric3 H{0.35, 0.18, -0.15, 0.30, 0.10, 0.40};
  const Grid unit{{-0.5, -0.5, -0.5}, {1, 1, 1}, {1, 1, 1}};
  const Box box{{-2, -3, -4}, {3, 3, 3}};
  for (const bool stretched : {false, true}) {
    const SceneFrame frame(box, stretched);
    const Vec3 centre{0.3, -0.2, 0.1};
    const Ellipsoid<double> ellipsoid = make_ellipsoid(H, unit);
    for (const LineSegment& line : ellipsoid_lines(centre, H, frame, glm::vec4(1))) {
      const glm::dvec3 d = (glm::dvec3(line.from) - frame.to_scene(centre)) * frame.unit();
      REQUIRE(ellipsoid.q(d.x, d.y, d.z) == Approx(1).epsilon(1e-4));
    }
  }
}

TEST_CASE("a click picks the sample whose picture is nearest") {
  const Samples cloud = make_five_gaussians(3, 0, 5000);
  const SceneFrame frame(benchmark_box());
  const ScenePart part{{}, frame, {{-60, 25}, frame.radius(), kOverlaySize}, 1};
  for (const std::size_t sample : {7U, 1234U, 4999U}) {
    const glm::dvec2 pixel(
        part.perspective.project(frame.to_scene(cloud.view().point(sample))).value());
    CHECK(pick_sample(cloud.view(), part, pixel + 1e-7, 5) == sample);
  }
  CHECK_FALSE(pick_sample(cloud.view(), part, {2, 2}, 5).has_value());
  // A sample behind the eye is not picked.
  const std::vector<double> behind{30, -52, 25};
  const Perspective seen({-60, 25}, frame.radius(), kOverlaySize);
  CHECK_FALSE(pick_sample({behind, {}}, {{}, frame, seen, 1}, {200, 150}, 500).has_value());
}

TEST_CASE_METHOD(test::GlFixture, "samples, box and axes appear and can be left out") {
  const Grid grid{{0, 0, 0}, {1, 1, 1}, {16, 12, 10}};
  VolumeView view;
  view.upload(Volume(grid, Precision::f32));
  VolumeViewOptions options = test::bare_options();
  const VolumeLook look = test::white_look(1, 1);
  const Picture empty = draw(view, {}, look, options, kOverlaySize);
  options.box = true;
  CHECK(greatest_difference(draw(view, {}, look, options, kOverlaySize), empty) > 100);
  options.box = false;
  options.axes = true;
  constexpr glm::ivec2 kWide{480, 400};  // large enough for the triad in a corner
  CHECK(greatest_difference(draw(view, {}, look, options, kOverlaySize), empty) == 0);
  const Picture triad = draw(view, {}, look, options, kWide);
  options.axes = false;
  CHECK(greatest_difference(triad, draw(view, {}, look, options, kWide)) > 100);
  options.axes = false;
  const std::vector<double> xyz{8, 6, 5};
  view.points.discs().assign({xyz, {}});
  CHECK(greatest_difference(draw(view, {}, look, options, kOverlaySize), empty) == 0);
  options.points = true;
  CHECK(int{draw(view, {}, look, options, kOverlaySize).at(200, 150)[0]} > 100);
  options.points = false;
  view.marks.sample = Vec3{8, 6, 5};
  const Picture picked = draw(view, {}, look, options, kOverlaySize);
  CHECK(int{picked.at(200, 150)[0]} > 200);
  view.marks.ellipsoid = Symmetric3::diagonal(9, 4, 4);
  CHECK(greatest_difference(draw(view, {}, look, options, kOverlaySize), picked) > 100);
}

}  // namespace

#include "core/cloud/outlined_places.hpp"

#include <fmt/core.h>

#include <numbers>
#include <random>

#include "estimate/read/cloud.hpp"
#include "support/cases/random_choice.hpp"
#include "support/temporary_folder.hpp"
#include "viewer/gl_fixture.hpp"
#include "viewer/session/view_session.hpp"

namespace {

using namespace skde;
using namespace skde::test;
using namespace skde::view;

constexpr PixelRegion kPart{{30, 20}, {320, 240}};
const auto kNever = [] { return false; };

/// Returns how often a path goes around a pixel, from the angles of its corners as seen from there.
int turns_around(const std::vector<glm::dvec2>& path, glm::dvec2 pixel) {
  double sum = 0;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const glm::dvec2 a = path[i] - pixel, b = path[(i + 1) % path.size()] - pixel;
    sum += std::atan2(a.x * b.y - a.y * b.x, glm::dot(a, b));
  }
  return static_cast<int>(std::lround(sum / (2 * std::numbers::pi)));
}

/// Returns where a place is seen, from the definition of the camera: a pinhole at `zoom` times the
/// focal length that shows the sphere around the box, looking at the focus.
std::optional<glm::dvec2> seen_at(const ViewSession& session, Vec3 place) {
  const Perspective p = session.scene.view.part(session.state.camera, kPart, 1).perspective;
  const glm::dvec3 away = session.scene.view.frame().to_scene(place) - p.eye();
  const double depth = glm::dot(away, p.forward());
  if (depth <= 0) return std::nullopt;
  const glm::dvec2 share(glm::dot(away, p.right()) / depth / p.half_size().x,
                         glm::dot(away, p.up()) / depth / p.half_size().y);
  return glm::dvec2(kPart.corner) +
         0.5 * glm::dvec2(1 + share.x, 1 - share.y) * glm::dvec2(kPart.size);
}

struct Cloud {
  std::vector<Vec3> places;
  std::vector<double> weights, sizes;
  std::string text = "x,y,z,w,mag\n";
};

Cloud random_cloud(Choice& choose, int count) {
  Cloud cloud;
  for (int i = 0; i < count; ++i) {
    // Far from the origin, in unlike units.
    cloud.places.push_back(
        {5e5 + choose.real(0, 90), choose.real(-1, 1), -3000 + choose.real(0, 400)});
    cloud.weights.push_back(choose.real(0.1, 4));
    cloud.sizes.push_back(choose.real(0, 9));
    const Vec3& p = cloud.places.back();
    cloud.text += fmt::format("{:.17g},{:.17g},{:.17g},{:.17g},{:.17g}\n", p.x, p.y, p.z,
                              cloud.weights.back(), cloud.sizes.back());
  }
  return cloud;
}

ViewOptions weighted_options() {
  ViewOptions options;
  options.state.density.grid.dims = {12, 0, 0};
  options.state.density.device = Device::cpu;
  return options;
}

void open(ViewSession& session, const std::string& path) {
  session.open_files({path});
  session.state.cloud.columns.weight = "w";
  session.wait(kNever);
}

}  // namespace

TEST_CASE_METHOD(GlFixture, "an outline selects the samples that are seen within it") {
  std::mt19937 random(Catch::rngSeed());
  Choice choose(random);
  const TemporaryFolder folder;
  const Cloud cloud = random_cloud(choose, 2000);
  ViewSession session(weighted_options());
  open(session, folder.file("a.csv", cloud.text));
  double total = 0;
  for (const double weight : cloud.weights) total += weight;
  int some = 0;
  for (int round = 0; round < 12; ++round) {
    session.state.camera = {choose.real(-180, 180), choose.real(-80, 80), choose.real(0.6, 30)};
    session.state.flipped = {choose.coin(), choose.coin(), choose.coin()};
    const ViewState& state = session.state;
    const gl::Framebuffer target({400, 300});
    session.scene.draw(target, {{0, 0}, {400, 300}}, state, {});  // takes the axes
    std::vector<glm::dvec2> path;
    if (round % 2 == 0) {
      const glm::dvec2 a(choose.real(30, 180), choose.real(20, 130));
      const glm::dvec2 b(choose.real(190, 350), choose.real(140, 260));
      path = {a, {b.x, a.y}, b, {a.x, b.y}};
    } else {
      for (std::int64_t left = choose.whole(3, 20); left > 0; --left)
        path.emplace_back(choose.real(30, 350), choose.real(20, 260));
    }
    session.state.selection = outlined(session.scene.view.part(state.camera, kPart, 1), path);
    session.state.clip.plane.reset();
    if (choose.coin()) session.state.clip.plane = ClipPlane{{1, 0, 0}, 5e5 + choose.real(20, 70)};
    std::size_t expected = 0;
    double mass = 0;
    for (std::size_t i = 0; i < cloud.places.size(); ++i) {
      const auto pixel = seen_at(session, cloud.places[i]);
      if (!pixel || turns_around(path, *pixel) % 2 == 0) continue;
      if (session.state.clip.plane && cloud.places[i].x > session.state.clip.plane->offset)
        continue;
      ++expected;
      mass += cloud.weights[i];
    }
    const SelectionFacts facts =
        session.scene.view.points.selected(*session.state.selection, session.state.clip);
    CAPTURE(round, expected);
    CHECK(facts.samples == expected);
    CHECK(facts.share == Approx(mass / total).epsilon(1e-9).margin(1e-12));
    some += expected > 0 && expected < cloud.places.size() ? 1 : 0;
    // The outline stands on the picture until the view turns.
    const auto shown = selection_pixels(*session.state.selection,
                                        session.scene.view.part(session.state.camera, kPart, 1));
    REQUIRE(shown.size() == path.size());
    for (std::size_t i = 0; i < path.size(); ++i) CHECK(glm::distance(shown[i], path[i]) < 1e-9);
    session.state.camera.azimuth += 1;
    CHECK(selection_pixels(*session.state.selection,
                           session.scene.view.part(session.state.camera, kPart, 1))
              .empty());
  }
  CHECK(some > 4);
}

TEST_CASE_METHOD(GlFixture, "the density of the selected samples is that of a file of them") {
  std::mt19937 random(Catch::rngSeed());
  Choice choose(random);
  const TemporaryFolder folder;
  const Cloud cloud = random_cloud(choose, 600);
  ViewSession session(weighted_options());
  open(session, folder.file("a.csv", cloud.text));
  const std::vector<glm::dvec2> path{{-100, -100}, {500, -100}, {500, 130}, {-100, 150}};
  session.state.selection = outlined(session.scene.view.part(session.state.camera, kPart, 1), path);
  std::string part = "x,y,z,w,mag\n";
  std::vector<double> sizes;
  for (std::size_t i = 0; i < cloud.places.size(); ++i) {
    if (!session.state.selection->holds(cloud.places[i])) continue;
    const Vec3& p = cloud.places[i];
    part += fmt::format("{:.17g},{:.17g},{:.17g},{:.17g},{:.17g}\n", p.x, p.y, p.z,
                        cloud.weights[i], cloud.sizes[i]);
    sizes.push_back(cloud.sizes[i]);
  }
  REQUIRE(sizes.size() > 20);
  REQUIRE(sizes.size() < 600);
  const std::size_t selected =
      session.scene.view.points.selected(*session.state.selection, session.state.clip).samples;
  estimate_on_selection(session.state);
  CHECK_FALSE(session.state.selection);
  session.wait(kNever);
  CHECK(selected == sizes.size());
  CHECK(session.scene.cloud()->points.size() == sizes.size());
  const Grid grid = session.scene.density().grid();
  const Volume values = session.scene.view.volume.texture().read_back();
  // Their columns are found in the whole file.
  session.state.point_look = {PointColors::column, "mag"};
  session.wait_for_questions(kNever);
  REQUIRE(session.scene.view.points.shown());
  CHECK(session.scene.view.points.shown()->values == sizes);

  ViewSession other(weighted_options());
  open(other, folder.file("b.csv", part));
  CHECK(other.scene.density().grid() == grid);
  const Volume expected = other.scene.view.volume.texture().read_back();
  CHECK(std::ranges::equal(values.values<float>(), expected.values<float>()));

  session.state.within.clear();
  session.wait(kNever);
  CHECK(session.scene.cloud()->points.size() == 600);

  // An outline without samples changes nothing.
  session.state.within = {outlined(session.scene.view.part(session.state.camera, kPart, 1),
                                   std::vector<glm::dvec2>{{-9, -9}, {-8, -9}, {-8, -8}})};
  CHECK_THROWS_AS(session.wait(kNever), Error);
  CHECK(session.state.within.empty());
  CHECK(session.scene.cloud()->points.size() == 600);
}

#include "viewer/layers/samples/ellipsoid_layer.hpp"

#include <algorithm>

#include "support/cases/random_mixture.hpp"
#include "viewer/gl_fixture.hpp"
#include "viewer/volume_pictures.hpp"

namespace {

using namespace skde;
using namespace skde::view;
using test::bare_options;
using test::draw;
using test::GlFixture;
using test::white_look;

constexpr glm::ivec2 kSize{161, 121};
const Grid kBox{{-3, -3, -3}, {0.5, 0.5, 0.5}, {12, 12, 12}};

/// Balls about these places, with these masses.
Samples balls(const std::vector<Vec3>& places, double radius, std::vector<double> masses) {
  Samples members;
  for (const Vec3 place : places) {
    members.xyz.insert(members.xyz.end(), {place.x, place.y, place.z});
    const double square = radius * radius;
    members.shapes.insert(members.shapes.end(), {square, 0, 0, square, 0, square});
  }
  members.weights = std::move(masses);
  return members;
}

/// A view of these members and a density that is `value` everywhere.
struct MemberView : VolumeView {
  explicit MemberView(const SamplesView& members, double value = 0) {
    upload(test::volume_of(kBox, [value](Vec3) { return value; }));
    ellipsoids.take(members);
  }
};

VolumeViewOptions options_for(EllipsoidsShown shown) {
  VolumeViewOptions options = bare_options();
  options.ellipsoids = shown;
  return options;
}

bool is_black(const std::array<std::uint8_t, 4>& pixel) {
  return pixel[0] == 0 && pixel[1] == 0 && pixel[2] == 0;
}

/// Returns for each pixel whether its ray meets an ellipsoid beyond the near plane.
std::vector<bool> rays_that_meet(const SamplesView& members, const SceneFrame& frame,
                                 const Perspective& perspective) {
  std::vector<SceneEllipsoid> ellipsoids;
  for (std::size_t i = 0; i < members.size(); ++i)
    ellipsoids.push_back(scene_ellipsoid(members.point(i), members.shape(i), frame));
  std::vector<bool> met;
  for (int y = 0; y < kSize.y; ++y)
    for (int x = 0; x < kSize.x; ++x) {
      const Ray ray = perspective.ray({x + 0.5, y + 0.5});
      const double forward = glm::dot(ray.direction, perspective.forward());
      met.push_back(std::ranges::any_of(ellipsoids, [&](const SceneEllipsoid& one) {
        const auto entry = entry_of(ray, one);
        return entry && *entry * forward >= perspective.near();
      }));
    }
  return met;
}

Camera from_front() {
  Camera camera;
  camera.look(AxisView::front);
  return camera;
}

}  // namespace

TEST_CASE_METHOD(GlFixture, "ellipsoids are drawn where rays meet them, and nowhere else") {
  const Mixture mixture = test::random_mixture(40, 5);
  const SamplesView members = mixture.members.view();
  const bool stretched = GENERATE(false, true);
  const double zoom = GENERATE(1.0, 6.0);
  CAPTURE(stretched, zoom);
  MemberView view(members);
  view.set_axes(stretched, {false, stretched, false});
  Camera camera;
  camera.zoom = zoom;
  const Picture picture =
      draw(view, camera, white_look(1, 0), options_for(EllipsoidsShown::alone), kSize);
  const std::vector<bool> met =
      rays_that_meet(members, view.frame(), view.perspective(camera, kSize));
  int inside = 0, wrong = 0;
  for (int y = 1; y + 1 < kSize.y; ++y)
    for (int x = 1; x + 1 < kSize.x; ++x) {
      int neighbours = 0;  // of 9, with the pixel itself
      for (int j = -1; j <= 1; ++j)
        for (int i = -1; i <= 1; ++i)
          neighbours += met[static_cast<std::size_t>((y + j) * kSize.x + x + i)];
      inside += neighbours == 9;
      if (neighbours == 0) wrong += !is_black(picture.at(x, y));
      if (neighbours == 9) wrong += is_black(picture.at(x, y));
    }
  CHECK(inside > 800);
  CHECK(wrong == 0);
}

TEST_CASE_METHOD(GlFixture, "the nearer ellipsoid hides the other, whichever is drawn first") {
  const bool heavy_first = GENERATE(false, true);
  // Seen along +y: the one at y = -1 is nearer. The colours of masses go from blue to yellow.
  const Samples members = heavy_first ? balls({{0, -1, 0}, {0, 1, 0}}, 0.8, {1, 1e-4})
                                      : balls({{0, 1, 0}, {0, -1, 0}}, 0.8, {1, 1e-4});
  MemberView view(members.view());
  const Picture picture =
      draw(view, from_front(), white_look(1, 0), options_for(EllipsoidsShown::alone), kSize);
  const auto& middle = picture.at(kSize.x / 2, kSize.y / 2);
  CAPTURE(heavy_first, int{middle[0]}, int{middle[2]});
  CHECK((middle[0] > middle[2]) == heavy_first);
  const auto picked =
      view.ellipsoids.pick(view.part(from_front(), {{}, kSize}, 0), 0.5 * glm::dvec2(kSize));
  CHECK(picked == std::size_t{heavy_first ? 0U : 1U});
}

TEST_CASE_METHOD(GlFixture, "rays of the volume end at an ellipsoid") {
  const Samples members = balls({{0, 0, 0}}, 0.9, {1});
  const auto middle_of = [&](double value, const VolumeLook& look, EllipsoidsShown shown) {
    MemberView view(members.view(), value);
    return draw(view, from_front(), look, options_for(shown), kSize).at(kSize.x / 2, kSize.y / 2);
  };
  const auto alone = middle_of(1, white_look(1, 1), EllipsoidsShown::alone);
  CHECK_FALSE(is_black(alone));
  // A clear volume changes nothing, and an opaque one hides all.
  CHECK(middle_of(0, white_look(1, 1), EllipsoidsShown::under) == alone);
  const auto hidden = middle_of(1, white_look(1, 1), EllipsoidsShown::under);
  CHECK(int{hidden[2]} >= 254);
  // A thin fog before the ellipsoid lightens it less than the whole fog does the background.
  const VolumeLook fog = white_look(1, 0.02F);
  const int before = middle_of(1, fog, EllipsoidsShown::under)[2],
            whole = middle_of(1, fog, EllipsoidsShown::off)[2];
  CHECK(before > alone[2] + 5);
  CHECK(before < whole - 20);
}

TEST_CASE_METHOD(GlFixture, "an ellipsoid smaller than a pixel is picked near its centre") {
  const Samples members = balls({{1, 0, 0}, {-1, 0, 0}}, 1e-4, {1, 1});
  MemberView view(members.view());
  const ScenePart part = view.part(from_front(), {{}, kSize}, 1);
  const auto place = part.perspective.project(view.frame().to_scene({-1, 0, 0}));
  REQUIRE(place);
  const auto pick = [&](double aside) {
    return view.ellipsoids.pick(part, glm::dvec2(*place) + aside);
  };
  CHECK(pick(2) == std::size_t{1});
  CHECK_FALSE(pick(5));
}

TEST_CASE("colours of masses span what there is, over four decades at most") {
  const auto axis_of = [](std::vector<double> masses) {
    const std::vector<Vec3> places(masses.size());
    return mass_axis(balls(places, 1, std::move(masses)).view());
  };
  CHECK(axis_of({2, 3, 5}) == ValueAxis{0, 5, false});
  CHECK(axis_of({0.01, 3, 5}) == ValueAxis{0.01, 5, true});
  CHECK(axis_of({0, 1e-9, 5}) == ValueAxis{5e-4, 5, true});
  CHECK(axis_of({0, 0}) == ValueAxis{0, 1, false});
  CHECK(axis_of({}) == ValueAxis{0, 1, false});
  for (const auto& [name, map] : kColorMaps) CHECK(mass_colors(map) != map);
}

TEST_CASE("the numbers of a member are its mass, mean, deviations and covariance") {
  Samples members = balls({{1, 2, 3}, {4, 5, 6}}, 1, {3, 1});
  const std::vector<double> tilted{2.5, 1.5, 0, 2.5, 0, 0.25};  // deviations 2, 1, 0.5
  std::copy(tilted.begin(), tilted.end(), members.shapes.begin() + 6);
  const std::vector<ReadoutLine> lines = member_readout(members.view(), 1);
  REQUIRE(lines.size() == 8);
  CHECK(lines[0].value == "1 (0 to 1)");
  CHECK(lines[1].value == "1, 25 % of all");
  CHECK(lines[2].value == "4, 5, 6");
  CHECK(lines[3].value.starts_with("2 along "));
  CHECK(lines[4].value.starts_with("1 along "));
  CHECK(lines[5].value.starts_with("0.5 along "));
  CHECK(lines[6].value == "2.5, 1.5, 0");
  CHECK(lines[7].value == "2.5, 0, 0.25");
}

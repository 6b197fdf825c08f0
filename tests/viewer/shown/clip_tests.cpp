#include "viewer/layers/space/scene_frame.hpp"

#include <optional>
#include <random>

#include "support/cases/random_choice.hpp"
#include "viewer/gl_fixture.hpp"
#include "viewer/layers/space/scene_overlay.hpp"
#include "viewer/panel_stage.hpp"
#include "viewer/shown/clipped_rays.hpp"
#include "viewer/volume_pictures.hpp"

namespace {

using namespace skde;
using namespace skde::test;
using namespace skde::view;

}  // namespace

TEST_CASE_METHOD(GlFixture, "rays go through what a clip keeps, and through nothing else") {
  std::mt19937 random(Catch::rngSeed());
  Choice choose(random);
  int met = 0;
  for (int round = 0; round < 8; ++round) {
    const Ramp ramp = random_ramp(choose);
    VolumeView view;
    view.set_axes(choose.coin(), {choose.coin(), choose.coin(), choose.coin()});
    view.upload(volume_of(kClipGrid, [&](Vec3 place) { return ramp.at(place); }));
    // The greatest value of a ray is that at one of the ends of what is kept of it.
    VolumeLook look = white_look(4, 1);
    look.axis = {0.5, 2.5, false};
    look.colors = {{0, 1, 0, 1}, {1, 1, 0, 1}};
    look.mode = RenderMode::maximum;
    look.jitter = false;
    look.quality = 4;
    look.clip = random_clip(choose);
    const Camera camera = random_camera(choose);
    const Perspective perspective = view.perspective(camera, kClipSize);
    const Picture picture = draw(view, camera, look, bare_options(), kClipSize);
    for (int y = 0; y < kClipSize.y; ++y)
      for (int x = 0; x < kClipSize.x; ++x) {
        const Ray ray = perspective.ray({x + 0.5, y + 0.5});
        const auto part = kept_part(ray, look.clip, view.frame());
        const auto color = picture.at(x, y);
        CAPTURE(round, x, y, look.clip.box.has_value(), look.clip.plane.has_value());
        if (!part || part->end - part->begin < 0.03) {
          if (!part) REQUIRE(int{color[1]} == 0);
          continue;  // near an edge of what is kept, where float and double may differ
        }
        ++met;
        const double greatest =
            std::max(ramp.at(view.frame().to_world(ray.origin + part->begin * ray.direction)),
                     ramp.at(view.frame().to_world(ray.origin + part->end * ray.direction)));
        REQUIRE(int{color[1]} == 255);
        // Samples are an eighth of a cell from the ends, and half a cell at the faces of the box.
        REQUIRE(int{color[0]} == Approx(255 * (greatest - 0.5) / 2).margin(2.7));
      }
  }
  CHECK(met > 500);  // a clip may leave nothing
}

TEST_CASE_METHOD(GlFixture,
                 "fog and surfaces end at a clip, which is filled where it cuts a body") {
  std::mt19937 random(Catch::rngSeed());
  Choice choose(random);
  const Box box = kClipGrid.bounds();
  const Vec3 extent = box.extent();
  VolumeView view;
  view.upload(volume_of(kClipGrid, [&](Vec3 place) { return place.y - box.lower.y; }));
  Camera camera;
  camera.look(AxisView::front);
  VolumeLook look = white_look(extent.y, 0.02F);
  look.colors[0].a = 0.02F;
  look.gradient_shading = GENERATE(false, true);
  const double front = choose.real(0.1, 0.4), back = choose.real(0.5, 0.9);
  look.clip.plane = ClipPlane{{0, -2, 0}, -2 * (box.lower.y + front * extent.y)};
  look.clip.box = Box{box.lower, {box.upper.x, box.lower.y + back * extent.y, box.upper.z}};
  const double diagonal = std::hypot(extent.x, extent.y, extent.z);
  const double through = std::pow(1 - 0.02F, (back - front) * extent.y / (diagonal / 100));
  look.jitter = false;
  const int lit = draw(view, camera, look, bare_options(), kClipSize).at(48, 36)[1];
  CAPTURE(front, back, lit);
  if (!look.gradient_shading) CHECK(lit == Approx(255 * (1 - through)).margin(1.6));
  look.mode = RenderMode::isosurface;
  const auto seen = [&](double depth) {
    look.isovalue = depth;
    const bool one = int{draw(view, camera, look, bare_options(), kClipSize).at(48, 36)[1]} > 40;
    look.surfaces = {depth * extent.y};
    const bool nested = int{draw(view, camera, look, bare_options(), kClipSize).at(48, 36)[1]} > 40;
    look.surfaces.clear();
    CHECK(one == nested);
    return one;
  };
  CHECK(seen(front + 0.02));
  CHECK(seen(back - 0.02));
  CHECK(seen(front - 0.02));
  CHECK_FALSE(seen(back + 0.02));
}

TEST_CASE_METHOD(GlFixture, "samples are drawn and picked where a clip keeps them") {
  std::mt19937 random(Catch::rngSeed());
  Choice choose(random);
  VolumeView view;
  view.upload(Volume(kClipGrid, Precision::f32));
  VolumeViewOptions options = bare_options();
  options.points = true;
  VolumeLook look = white_look(1, 1);
  int kept = 0;
  for (int round = 0; round < 40; ++round) {
    const Vec3 place = place_in(choose, kClipGrid.bounds());
    const std::vector<double> xyz{place.x, place.y, place.z};
    view.points.discs().assign({xyz, {}});
    look.clip = random_clip(choose);
    const Camera camera{choose.real(-180, 180), choose.real(-80, 80)};
    const Perspective perspective = view.perspective(camera, kClipSize);
    const auto pixel = perspective.project(view.frame().to_scene(place)).value();
    const Picture picture = draw(view, camera, look, options, kClipSize);
    const bool drawn =
        int{picture.at(static_cast<int>(pixel.x), static_cast<int>(pixel.y))[0]} > 60;
    CAPTURE(round);
    CHECK(drawn == look.clip.keeps(place));
    CHECK(
        pick_sample({xyz, {}}, {{}, view.frame(), perspective, 1}, glm::dvec2(pixel), 3, look.clip)
            .has_value() == look.clip.keeps(place));
    kept += look.clip.keeps(place) ? 1 : 0;
  }
  CHECK(kept > 0);
  CHECK(kept < 40);
}

TEST_CASE("the outline of a clip lies on its faces and in the box") {
  std::mt19937 random(Catch::rngSeed());
  Choice choose(random);
  const Box box = kClipGrid.bounds();
  const SceneFrame frame(box, choose.coin(), {choose.coin(), false, choose.coin()});
  for (int round = 0; round < 50; ++round) {
    const Clip clip = random_clip(choose);
    const std::vector<LineSegment> lines = clip_lines(clip, frame, glm::vec4(1));
    // A plane may cut away all of a box.
    if (!clip.box || !clip.plane) CHECK(lines.size() >= 3);
    for (const LineSegment& line : lines) {
      const glm::dvec3 from(line.from);
      const glm::dvec3 reach = frame.half() * (1 + 1e-5);
      CHECK(glm::all(glm::lessThanEqual(glm::abs(from), reach)));
      double nearest = 1;
      if (clip.plane) {
        const glm::dvec4 plane = scene_plane(*clip.plane, frame);
        const double beyond = glm::dot(glm::dvec3(plane), from) - plane.w;
        CHECK(beyond < 1e-5);
        nearest = std::abs(beyond);
      }
      for (int axis = 0; clip.box && axis < 3; ++axis) {
        const double low = frame.to_scene(clip.box->lower)[axis];
        const double high = frame.to_scene(clip.box->upper)[axis];
        CHECK(from[axis] > std::min(low, high) - 1e-5);
        CHECK(from[axis] < std::max(low, high) + 1e-5);
        nearest = std::min({nearest, std::abs(from[axis] - low), std::abs(from[axis] - high),
                            std::abs(std::abs(from[axis]) - frame.half()[axis])});
      }
      CHECK(nearest < 1e-5);
    }
  }
  Clip outside;
  outside.box = Box{box.upper + Vec3{1, 1, 1}, box.upper + Vec3{2, 2, 2}};
  CHECK(clip_lines(outside, frame, glm::vec4(1)).empty());
}

TEST_CASE("a clip is set by sliders") {
  PanelStage stage(kTall);
  const Box box = stage.facts.grid->bounds();
  stage.facts.frame = SceneFrame(box);
  const auto find = [&](const char* id) { return stage.find("clip plane", {id}).middle; };
  stage.click(stage.find("clip box", {"inside only"}).middle);
  CHECK(stage.state.clip.box == box);
  stage.click(find("cut"));
  REQUIRE(stage.state.clip.plane);
  const Vec3 middle = box.centre();
  CHECK(stage.state.clip.plane->beyond(middle) == Approx(0).margin(1e-12));
  // Facing the camera: the eye's side is cut away.
  const Perspective seen(stage.state.camera, stage.facts.frame.radius(), {100, 100});
  CHECK(glm::dot(glm::dvec3(scene_plane(*stage.state.clip.plane, stage.facts.frame)),
                 seen.forward()) == Approx(-1));
  stage.click(find("other side"));
  CHECK(glm::dot(glm::dvec3(scene_plane(*stage.state.clip.plane, stage.facts.frame)),
                 seen.forward()) == Approx(1));
  stage.type_number(find("##around"), "90");
  stage.type_number(find("##above"), "0");
  stage.type_number(find("##position"), "50");
  const glm::dvec4 plane = scene_plane(*stage.state.clip.plane, stage.facts.frame);
  CHECK(plane.y == Approx(1));
  CHECK(plane.w == Approx(0.5 * stage.facts.frame.half().y));
  CHECK_FALSE(stage.actions.density_changed);
  stage.click(find("cut"));
  stage.click(stage.find("clip box", {"inside only"}).middle);
  CHECK_FALSE(stage.state.clip.is_on());
}

#include "viewer/layers/volume/volume_layer.hpp"

#include <random>

#include "support/cases/random_choice.hpp"
#include "support/temporary_folder.hpp"
#include "viewer/gl_fixture.hpp"
#include "viewer/layers/space/scene_overlay.hpp"
#include "viewer/panel_stage.hpp"
#include "viewer/scene/view_parts.hpp"
#include "viewer/scene/view_scene.hpp"
#include "viewer/session/view_session.hpp"
#include "viewer/volume_pictures.hpp"
#include "viewer/window/view_controls.hpp"

namespace {

using namespace skde;
using namespace skde::test;
using namespace skde::view;

constexpr glm::ivec2 kFlatSize{400, 300};
const Grid kFlatGrid{{-1, 2, 1005}, {0.1, 0.2, 0.15}, {20, 17, 12}};

Vec3 place_in_box(Choice& choose, const Box& box) {
  const Vec3 extent = box.extent();
  return box.lower + Vec3{choose.real(0.001, 0.999) * extent.x,
                          choose.real(0.001, 0.999) * extent.y,
                          choose.real(0.001, 0.999) * extent.z};
}

/// Returns the colour of a value as the look defines it, in 0..255.
glm::dvec3 color_of(const VolumeLook& look, double value) {
  const double at = look.axis.share_of(value) * static_cast<double>(look.colors.size() - 1);
  const auto i = std::min(static_cast<std::size_t>(at), look.colors.size() - 2);
  return 255.0 * glm::mix(glm::dvec3(look.colors[i]), glm::dvec3(look.colors[i + 1]),
                          at - static_cast<double>(i));
}

std::array<SectionMap, 3> maps_on_picture(const SceneFrame& frame) {
  ViewState state;
  state.layout = ViewLayout::slices;
  return section_maps(view_parts(state, {{0, 0}, kFlatSize}, 1).sections, frame, 1);
}

}  // namespace

TEST_CASE_METHOD(GlFixture, "each pixel of a section has the colour of its cell's value") {
  std::mt19937 random(Catch::rngSeed());
  Choice choose(random);
  const Volume volume = random_volume(kFlatGrid);
  const std::span<const float> values = volume.values<float>();
  for (int round = 0; round < 4; ++round) {
    VolumeView view;
    view.set_axes(choose.coin(), {choose.coin(), choose.coin(), choose.coin()});
    view.upload(volume);
    VolumeLook look = white_look(3, 1);
    look.colors = {{0, 0.1F, 1, 0}, {0.3F, 1, 0.2F, 0}, {1, 0.4F, 0, 1}};
    look.axis = choose.coin() ? ValueAxis{1e-4, 3, true} : ValueAxis{0, 2.5, false};
    const Vec3 at = place_in_box(choose, kFlatGrid.bounds());
    const gl::Framebuffer target(kFlatSize);
    target.bind();
    test::clear(target, {0, 0, 0, 1});
    const auto maps = maps_on_picture(view.frame());
    for (const SectionMap& map : maps)
      view.draw_section(target, look, {map.normal, at, false, 0, map.transform(kFlatSize)});
    const Picture picture = view::gl::read_picture(target);
    int compared = 0;
    for (int y = 0; y < kFlatSize.y; ++y)
      for (int x = 0; x < kFlatSize.x; ++x)
        for (const SectionMap& map : maps) {
          const glm::dvec2 pixel(x + 0.5, y + 0.5);
          const auto [upper_left, lower_right] = map.corners();
          if (pixel.x < upper_left.x + 0.1 || pixel.y < upper_left.y + 0.1 ||
              pixel.x > lower_right.x - 0.1 || pixel.y > lower_right.y - 0.1)
            continue;
          const Vec3 place = map.to_world(pixel, at);
          CHECK(glm::distance(map.to_pixel(place), pixel) < 1e-6);
          // Not where float may round to the next cell.
          const Vec3 cells = kFlatGrid.to_cells(place) + Vec3{0.5, 0.5, 0.5};
          const auto is_near_face = [&](int axis) {
            return std::abs(cells[axis] - std::round(cells[axis])) < 1e-3;
          };
          if (is_near_face(map.across) || is_near_face(map.up)) continue;
          const auto [i, j, k] = kFlatGrid.cell_at(place).value();
          const auto value = static_cast<double>(values[static_cast<std::size_t>(
              (k * kFlatGrid.dims[1] + j) * kFlatGrid.dims[0] + i)]);
          const glm::dvec3 expected = color_of(look, value);
          const auto color = picture.at(x, y);
          CAPTURE(round, x, y, map.normal, value);
          for (int channel = 0; channel < 3; ++channel)
            REQUIRE(std::abs(color[static_cast<std::size_t>(channel)] - expected[channel]) < 1.6);
          ++compared;
        }
    CHECK(compared > 3000);
  }
}

TEST_CASE_METHOD(GlFixture, "a section stands at its depth in the volume") {
  const Box box = kFlatGrid.bounds();
  const Vec3 extent = box.extent();
  VolumeView view;
  // Fog of the value 1 before the section, which lies in cells of the value 2.
  view.upload(volume_of(kFlatGrid, [&](Vec3 w) { return w.y < box.centre().y ? 1.0 : 2.0; }));
  VolumeLook look;
  look.axis = {1, 2, false};
  const float opacity = 0.015F;
  look.colors = {{1, 0, 0, opacity}, {0, 0, 1, opacity}};
  look.jitter = false;
  look.quality = 8;
  Camera camera;
  camera.look(AxisView::front);
  VolumeViewOptions options = bare_options();
  options.sections.shown = SectionsShown::within;
  options.pixel_scale = 3;  // larger discs
  const double depth = GENERATE(0.6, 0.75, 0.95);
  // Off the middle, where the others would be seen on edge.
  options.sections.at =
      Vec3{box.lower.x + 0.1 * extent.x, box.lower.y + depth * extent.y, box.lower.z};
  const double diagonal = std::hypot(extent.x, extent.y, extent.z);
  const double through = std::pow(1 - opacity, depth * extent.y / (diagonal / 100));
  const Picture picture = draw(view, camera, look, options, {161, 121});
  const double red_share = std::pow(1 - opacity, 0.5 * extent.y / (diagonal / 100));
  CHECK(int{picture.at(80, 60)[0]} == Approx(255 * (1 - red_share)).margin(6));
  CHECK(int{picture.at(80, 60)[2]} == Approx(255 * red_share).margin(6));
  CHECK(through < red_share);
  // A sample before it is seen, one behind it is not.
  const auto with_sample_at = [&](double y) {
    const std::vector<double> xyz{box.centre().x, y, box.centre().z};
    view.points.discs().assign({xyz, {}});
    options.points = true;
    return greatest_difference(draw(view, camera, look, options, {161, 121}), picture);
  };
  CHECK(with_sample_at(options.sections.at->y - 0.02 * extent.y) > 30);
  CHECK(with_sample_at(options.sections.at->y + 0.02 * extent.y) <= 1);
  // Alone, it has its own colour.
  options.points = false;
  options.sections.shown = SectionsShown::alone;
  const auto alone = draw(view, camera, look, options, {161, 121}).at(80, 60);
  CHECK(int{alone[2]} == 255);
  CHECK(int{alone[0]} == 0);
}

TEST_CASE_METHOD(GlFixture, "the samples near a section are drawn over it") {
  std::mt19937 random(Catch::rngSeed());
  Choice choose(random);
  VolumeView view;
  view.upload(Volume(kFlatGrid, Precision::f32));
  const Box box = kFlatGrid.bounds();
  const double near = 0.1;
  VolumeLook look = white_look(1, 1);
  look.colors[0] = {0, 0, 0, 0};
  int drawn = 0;
  for (int round = 0; round < 60; ++round) {
    const Vec3 sample = place_in_box(choose, box), at = place_in_box(choose, box);
    const std::vector<double> xyz{sample.x, sample.y, sample.z};
    view.points.discs().assign({xyz, {}});
    const SectionMap map =
        maps_on_picture(view.frame())[static_cast<std::size_t>(choose.whole(0, 2))];
    const gl::Framebuffer target(kFlatSize);
    target.bind();
    test::clear(target, {0, 0, 0, 1});
    view.draw_section(target, look,
                      {map.normal, at, false, near, map.transform(kFlatSize), map.pixels});
    const auto pixel = glm::ivec2(map.to_pixel(sample));
    const bool seen = int{view::gl::read_picture(target).at(pixel.x, pixel.y)[0]} > 100;
    const double away = std::abs(sample[map.normal] - at[map.normal]);
    CHECK(seen == (away <= near * box.extent()[map.normal]));
    drawn += seen ? 1 : 0;
  }
  CHECK(drawn > 0);
  CHECK(drawn < 60);
}

TEST_CASE("sections outline themselves and their cross-hair") {
  Clip clip;
  clip.box = Box{{0, 0, 0}, {2, 3, 4}};
  const SceneFrame frame(*clip.box);
  const Vec3 at{0.5, 1, 3};
  const auto lines = section_lines(at, clip, frame, kDarkInks.axes);
  const glm::dvec3 meet = frame.to_scene(at);
  CHECK(lines.size() >= 15);
  for (const LineSegment& line : lines) {
    const glm::dvec3 from(line.from), to(line.to);
    bool lies = false;
    for (int axis = 0; axis < 3; ++axis)
      lies |= std::abs(from[axis] - meet[axis]) < 1e-6 && std::abs(to[axis] - meet[axis]) < 1e-6;
    CHECK(lies);
  }
}

TEST_CASE("slices are moved by sliders") {
  PanelStage stage(kTall);
  const Box box = stage.facts.grid->bounds();
  const auto find = [&](const std::vector<std::string>& path) {
    return stage.find("slices", path).middle;
  };
  stage.click(find({"within"}));
  CHECK(stage.state.sections.shown == SectionsShown::within);
  CHECK_FALSE(stage.state.sections.at);
  stage.click(stage.find("smooth", {"smooth"}).middle);
  CHECK(stage.state.sections.smooth);
  stage.state.sections.at = box.lower;
  stage.click(find({"alone"}));
  CHECK(stage.state.sections.shown == SectionsShown::alone);
  CHECK_FALSE(stage.actions.density_changed);
}

TEST_CASE("frames follow each other only while something is seen to move") {
  PanelStage stage({1280, 800});
  const TemporaryFolder folder;
  ViewOptions options;
  options.state.density.grid.dims = {12, 0, 0};
  options.state.density.device = Device::cpu;
  ViewSession session(options);
  ViewControls controls;
  stage.over_views = [&] {
    controls.apply(session.state, session.scene, stage.layout.views, 1, stage.actions);
  };
  const auto moving_frames = [&] {
    int moving = 0;
    for (int frame = 0; frame < 60; ++frame) {
      stage.frames();
      moving += controls.moving() ? 1 : 0;
    }
    return moving;
  };
  const auto turn = [&] {
    stage.type(" ");
    return moving_frames();
  };
  CHECK(turn() == 0);  // there is nothing to turn
  session.open_files({folder.file("a.xyz", "0 0 0\n1 0 0\n0 1 0\n0 0 1\n")});
  session.wait([] { return false; });
  CHECK(turn() == 60);
  session.state.layout = ViewLayout::method;
  CHECK(moving_frames() == 0);
  session.state.layout = ViewLayout::slices;
  CHECK(moving_frames() == 0);
  const PixelRegion flat = view_parts(session.state, stage.layout.views, 1).sections[1];
  stage.move({static_cast<float>(flat.corner.x + flat.size.x / 3),
              static_cast<float>(flat.corner.y + flat.size.y / 2)});
  stage.press();
  CHECK(controls.moving());
  REQUIRE(session.state.sections.at);
  CHECK(moving_frames() < 30);  // the cross-hair is held still
}

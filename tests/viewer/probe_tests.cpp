#include "viewer/scene/probe.hpp"

#include <cmath>

#include "estimate/read/cloud.hpp"
#include "support/cases/small_clouds.hpp"
#include "support/temporary_folder.hpp"
#include "viewer/layers/method/sample_slices.hpp"
#include "viewer/panel_stage.hpp"
#include "viewer/session/view_session.hpp"
#include "viewer/ui/panels/panel_facts.hpp"
#include "viewer/volume_pictures.hpp"

namespace {

using namespace skde;
using namespace skde::test;
using namespace skde::view;

const Grid kProbeGrid{{-1, 2, 5}, {0.1, 0.2, 0.15}, {40, 33, 50}};
constexpr glm::ivec2 kProbeSize{161, 121};

Vec3 probed(VolumeView& view, const Camera& camera, const VolumeLook& look, glm::dvec2 pixel) {
  const gl::Framebuffer target(kProbeSize);
  view.draw(target, camera, look, bare_options());
  const auto place = view.volume.place_at(
      {view.frame(), view.perspective(camera, kProbeSize), look, target}, pixel);
  REQUIRE(place);
  return *place;
}

}  // namespace

TEST_CASE_METHOD(GlFixture, "the probe meets the surface, or the greatest density of its ray") {
  const Box box = kProbeGrid.bounds();
  const Vec3 summit = box.centre() + Vec3{0.7, 0.9, -1.2};
  const auto hill = [&](Vec3 w) {
    const Vec3 d = w - summit;
    return std::max(0.0, 4 - d.x * d.x - d.y * d.y - d.z * d.z);
  };
  VolumeView view;
  view.upload(volume_of(kProbeGrid, hill));
  const Camera camera{-50, 20};
  VolumeLook look = white_look(4, 0.2F);
  const Perspective perspective = view.perspective(camera, kProbeSize);
  const glm::dvec2 pixel(*perspective.project(view.frame().to_scene(summit)));
  const Vec3 peak = probed(view, camera, look, pixel);
  CHECK(peak.x == Approx(summit.x).margin(0.1));
  CHECK(peak.y == Approx(summit.y).margin(0.2));
  CHECK(peak.z == Approx(summit.z).margin(0.15));
  CHECK(view.volume.texture().value_at(peak) == Approx(4).margin(0.05));
  look.mode = RenderMode::isosurface;
  look.isovalue = look.axis.share_of(3);
  const Vec3 surface = probed(view, camera, look, pixel);
  CHECK(view.volume.texture().value_at(surface) == Approx(3).margin(0.03));
  const Ray ray = perspective.ray(pixel);
  CHECK(glm::dot(view.frame().to_scene(surface) - view.frame().to_scene(peak), ray.direction) < 0);
  look.surfaces = {3.5, 2};
  CHECK(view.volume.texture().value_at(probed(view, camera, look, pixel)) ==
        Approx(2).margin(0.03));
  const gl::Framebuffer target(kProbeSize);
  view.draw(target, camera, look, bare_options());
  CHECK_FALSE(view.volume.place_at({view.frame(), perspective, look, target}, {1, 1}));
}

TEST_CASE_METHOD(GlFixture, "values between cells are those of trilinear interpolation") {
  VolumeTexture texture;
  const auto plane = [](Vec3 w) { return 1 + 0.5 * w.x - 0.25 * w.y + 0.125 * w.z; };
  texture.upload(volume_of(kProbeGrid, plane));
  for (const Vec3 place : {Vec3{0.333, 4.1, 7.77}, Vec3{2.04, 8.4, 12.1}, Vec3{-0.95, 2.1, 5.075}})
    CHECK(texture.value_at(place) == Approx(plane(place)).epsilon(1e-5));
  // Beyond the outermost centres: the value of the nearest place between them.
  CHECK(texture.value_at({-9, -9, -9}) == Approx(plane({-0.95, 2.1, 5.075})).epsilon(1e-5));
  texture.upload(volume_of({{}, {1, 1, 1}, {1, 1, 1}}, [](Vec3) { return 7.0; }));
  CHECK(texture.value_at({0.2, 0.9, 0.5}) == 7);
}

TEST_CASE("the nearest sample is that of a loop, and its row is told where it is known") {
  const std::vector<double> xyz{0, 0, 0, 3, 0, 0, 3, 4, 0};
  ProbeReading reading{{2.5, 0.5, 0}, 0.25, 0.4};
  find_nearest({xyz, {}}, SceneFrame(Box{{0, 0, 0}, {4, 4, 4}}), reading);
  CHECK(reading.sample == std::size_t{1});
  CHECK(reading.distance.value() == Approx(std::sqrt(0.5)));
  ProbeReading tall{{1, 2.1, 0}};  // as drawn below, nearest to (3, 4, 0)
  find_nearest({xyz, {}}, SceneFrame(Box{{0, 0, 0}, {4, 4, 4}}, false, {}, {1, 9, 1}), tall);
  CHECK(tall.sample == std::size_t{0});
  CHECK(tall.distance.value() == Approx(std::hypot(1, 2.1)));
  ProbeReading unlike{{1.6, 30, 0}};  // axes of different units: in shares of the box
  const std::vector<double> others{0, 30, 0, 2.2, 0, 0};
  find_nearest({others, {}}, SceneFrame(Box{{0, 0, 0}, {4, 400, 4}}, true), unlike);
  CHECK(unlike.sample == std::size_t{1});
  CHECK_FALSE(unlike.distance);
  ProbeTexts texts;
  texts.axes.units = "km";
  texts.density_unit = "km\u207b\u00b3";
  texts.extent = {4, 4, 4};
  texts.rows = true;
  const std::vector<ReadoutLine> lines = probe_lines(reading, texts);
  REQUIRE(lines.size() == 6);
  CHECK(lines[0].value == "2.5 km");
  CHECK(lines[3].value == "0.25 km\u207b\u00b3");
  CHECK(lines[4].value == "40 %");
  CHECK(lines[5].value == "1 (row 2), 0.707107 km away");
  const std::vector<std::string> row = probe_row(reading, texts);
  CHECK(row ==
        std::vector<std::string>{"2.5", "0.5", "0", "0.25", "0.40000", "1", "0.707107", "2"});
  CHECK(probe_columns(texts) == std::vector<std::string>{"x (km)", "y (km)", "z (km)",
                                                         "density (km\u207b\u00b3)", "mass above",
                                                         "nearest sample", "distance (km)", "row"});
}

TEST_CASE("pins follow the density, and other files forget them") {
  const GlFixture context;
  const TemporaryFolder folder;
  ViewOptions options;
  options.state.density.grid.dims = {12, 0, 0};
  options.state.density.device = Device::cpu;
  ViewSession session(options);
  session.open_files(text_file(folder.path("a.xyz"), gaussian_cloud(40).view()).paths);
  session.wait([] { return false; });
  const Vec3 sample = session.scene.cloud()->points.point(7);
  session.state.pins = {sample};
  const ui::PanelFacts facts = facts_of(session, "");
  REQUIRE(facts.probe.rows.size() == 1);
  CHECK(facts.probe.rows[0].back() == "8");
  const ProbeReading narrow = session.scene.pin_readings(session.state)[0];
  CHECK(narrow.sample == std::size_t{7});
  CHECK(narrow.distance == 0.0);
  CHECK(narrow.density > 0);
  CHECK(narrow.mass_above < 1);
  session.state.density.bandwidth.bandwidth = 4.0;
  session.wait([] { return false; });
  CHECK(session.scene.pin_readings(session.state)[0].density < narrow.density);
  session.open_files(text_file(folder.path("b.xyz"), gaussian_cloud(20).view()).paths);
  session.wait([] { return false; });
  CHECK(session.state.pins.empty());
}

TEST_CASE("the table of pins is copied and cleared by buttons") {
  PanelStage stage(kTall);
  stage.state.pins = {{1, 2, 3}, {4, 5, 6}};
  stage.facts.probe = {{"x", "density"}, {{"1", "0.5"}, {"4", "0.25"}}};
  stage.frames(3);
  stage.click(stage.find("probe", {"copy"}).middle);
  CHECK(ImGui::GetClipboardText() == std::string("x\tdensity\n1\t0.5\n4\t0.25\n"));
  stage.click(stage.find("probe", {"less"}).middle);
  CHECK(stage.state.pins == std::vector<Vec3>{{1, 2, 3}});
  stage.click(stage.find("probe", {"clear"}).middle);
  CHECK(stage.state.pins.empty());
  stage.facts.probe.rows.clear();
  stage.frames(2);
  stage.click(stage.find("probe", {"under the mouse"}).middle);
  CHECK(stage.state.show_probe);
}

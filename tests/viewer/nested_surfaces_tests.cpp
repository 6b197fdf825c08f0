#include <cmath>

#include "analysis/mass_levels.hpp"
#include "viewer/layers/volume/volume_histogram.hpp"
#include "viewer/panel_stage.hpp"
#include "viewer/volume_pictures.hpp"

namespace {

using namespace skde;
using namespace skde::test;
using namespace skde::view;

const Grid kSurfaceGrid{{-1, 2, 5}, {0.1, 0.2, 0.15}, {40, 33, 50}};
constexpr glm::ivec2 kSurfaceSize{160, 120};

MassProfile profile_of(const Volume& volume, double in_box) {
  VolumeTexture texture;
  texture.upload(volume);
  BrickGrid bricks;
  bricks.update(texture);
  return {VolumeHistogram().count(texture, bricks.positive_range()), volume.grid().cell_volume(),
          in_box};
}

/// A hill with its peak in the middle of the box.
double hill(Vec3 world) {
  const Vec3 d = world - kSurfaceGrid.bounds().centre();
  return std::exp(-0.5 * (d.x * d.x + 0.5 * d.y * d.y + 0.4 * d.z * d.z));
}

VolumeLook surfaces_look(std::vector<double> surfaces) {
  VolumeLook look = white_look(kSurfaceGrid.bounds().extent().y, 1);
  look.colors = {{0.2F, 0.5F, 0.9F, 1}, {0.2F, 0.5F, 0.9F, 1}};
  look.mode = RenderMode::isosurface;
  look.surfaces = std::move(surfaces);
  return look;
}

}  // namespace

TEST_CASE_METHOD(GlFixture, "the levels of masses are those of the analysis") {
  const bool smooth = GENERATE(true, false);
  CAPTURE(smooth);
  const Volume volume = smooth ? volume_of(kSurfaceGrid, hill) : random_volume(kSurfaceGrid);
  double all = 0;
  for (const float value : volume.values<float>()) all += value;
  all *= volume.grid().cell_volume();
  const double in_box = 0.96;
  const MassProfile profile = profile_of(volume, in_box);
  CHECK(profile.in_box() == in_box);
  const std::vector<double> masses{0.05, 0.5, 0.75, 0.95};
  for (const MassLevel& exact : mass_levels(volume, masses, all / in_box)) {
    CAPTURE(exact.mass);
    const auto region = profile.region(exact.mass);
    REQUIRE(region);
    CHECK(region->level == Approx(exact.level).epsilon(0.006));
    CHECK(region->volume == Approx(exact.volume).epsilon(0.006));
    CHECK(profile.mass_above(region->level) == Approx(exact.mass).epsilon(1e-6));
    CHECK(profile.mass_above(exact.level) == Approx(exact.mass).margin(1e-3));
    CHECK(profile.volume_above(exact.level) == Approx(exact.volume).epsilon(0.02));
  }
  CHECK_FALSE(profile.region(0.97));
  CHECK(profile.mass_above(0) == in_box);
  CHECK(profile.mass_above(2 * volume.maximum()) == 0);
  CHECK_FALSE(MassProfile().region(0.5));
}

TEST_CASE_METHOD(GlFixture, "a single surface of a mass is that of its density") {
  VolumeView view;
  view.upload(volume_of(kSurfaceGrid, hill));
  VolumeLook look = surfaces_look({0.4});
  VolumeLook plain = look;
  plain.surfaces.clear();
  plain.isovalue = look.axis.share_of(0.4);
  const Camera camera{-60, 25};
  CHECK(greatest_difference(draw(view, camera, look, bare_options(), kSurfaceSize),
                            draw(view, camera, plain, bare_options(), kSurfaceSize)) <= 1);
}

TEST_CASE_METHOD(GlFixture, "nested surfaces let those inside shine through") {
  VolumeView view;
  const Box box = kSurfaceGrid.bounds();
  // The density is the depth in the box, so the surfaces are planes that face the camera.
  view.upload(volume_of(kSurfaceGrid, [&](Vec3 w) { return w.y - box.lower.y; }));
  Camera camera;
  camera.look(AxisView::front);
  const auto blue_at_middle = [&](std::vector<double> surfaces) {
    VolumeLook look = surfaces_look(std::move(surfaces));
    look.colors.front().b = 0.1F;
    return draw(view, camera, look, bare_options(), kSurfaceSize).at(80, 60)[2] / 255.0;
  };
  const double outer = blue_at_middle({2.6}), middle = blue_at_middle({4.1});
  const double inner = blue_at_middle({5.2});
  REQUIRE(inner > outer + 0.2);
  const double two = blue_at_middle({2.6, 4.1}), three = blue_at_middle({5.2, 2.6, 4.1});
  // The nearest surface has the least density and the least opacity: 0.4 of two, 0.2 of three. The
  // back face of the box cuts the body, and shows the colour of the innermost surface.
  CHECK(two == Approx(0.4 * outer + 0.6 * middle).epsilon(0.01));
  CHECK(three == Approx(0.2 * outer + 0.8 * (0.4 * middle + 0.6 * inner)).epsilon(0.01));
  CHECK(blue_at_middle({100, 200}) == 0);
}

TEST_CASE_METHOD(GlFixture, "surfaces reach furthest where the furthest of their points are seen") {
  VolumeView view;
  const Vec3 centre = kSurfaceGrid.bounds().centre() + Vec3{0.3, -0.5, 1};
  view.upload(volume_of(kSurfaceGrid, [&](Vec3 w) {
    const Vec3 d = w - centre;
    return 4 - std::sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
  }));
  const Camera camera{-50, 20};
  const VolumeLook look = surfaces_look({3.2, 2.6, 9});
  const gl::Framebuffer target({320, 240});
  view.draw(target, camera, look, bare_options());
  const Perspective perspective = view.perspective(camera, target.size());
  const std::array<glm::dvec2, 3> ways{{{0.6, -0.8}, {1, 0}, {0, 1}}};
  const auto found = view.volume.far_pixels({view.frame(), perspective, look, target}, ways);
  REQUIRE(found.size() == 3);
  CHECK_FALSE(found[2]);
  const auto furthest = [&](double radius, glm::dvec2 way) {
    glm::dvec2 best(*perspective.project(view.frame().to_scene(centre)));
    for (double a = 0; a < 6.3; a += 0.02)
      for (double b = -1.57; b < 1.58; b += 0.02) {
        const Vec3 out{std::cos(a) * std::cos(b), std::sin(a) * std::cos(b), std::sin(b)};
        const glm::dvec2 pixel(*perspective.project(view.frame().to_scene(centre + radius * out)));
        if (glm::dot(pixel, way) > glm::dot(best, way)) best = pixel;
      }
    return best;
  };
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
    const glm::dvec2 own = furthest(i == 0 ? 0.8 : 1.4, ways[i]);
    CHECK(glm::distance(found[i]->pixel, own) < 9);  // rays are 4 pixels apart
    CHECK(glm::dot(found[i]->pixel - own, ways[i]) == Approx(0).margin(4));
    CHECK(found[i]->beyond == Approx(glm::dot(furthest(1.4, ways[i]) - own, ways[i])).margin(4));
  }
}

TEST_CASE_METHOD(GlFixture, "leaping over empty bricks keeps nested surfaces") {
  VolumeView view;
  view.upload(volume_of(kSurfaceGrid, hill));
  const VolumeLook look = surfaces_look({0.9, 0.3, 0.02});
  VolumeViewOptions options = bare_options();
  for (const Camera camera : {Camera{-60, 25}, Camera{100, -50, 2}, Camera{-90, 0, 9}}) {
    options.march.skip_empty = true;
    const Picture leaping = draw(view, camera, look, options, kSurfaceSize);
    options.march.skip_empty = false;
    CHECK(greatest_difference(leaping, draw(view, camera, look, options, kSurfaceSize)) <= 2);
  }
}

TEST_CASE("a line of the histogram is dragged to another mass, between its neighbours") {
  PanelStage stage(kTall);
  stage.facts.masses = std::make_shared<const MassProfile>(stage.facts.histogram, 1e-4, 0.99);
  stage.state.transfer.axis = axis_up_to(stage.facts.peak, true);
  stage.state.mode = RenderMode::isosurface;
  stage.state.masses = {0.5, 0.75};
  const auto points = stage.state.transfer.points();
  const auto editor = stage.find("opacity", {"##editor"});
  const auto x_of = [&](double mass) {
    const double share =
        stage.state.transfer.axis.share_of(stage.facts.masses->region(mass)->level);
    return editor.middle.x + static_cast<float>(share - 0.5) * (editor.size.x - 11);
  };
  stage.drag({x_of(0.5), editor.middle.y}, {x_of(0.6), editor.middle.y});
  CHECK(stage.state.masses[0] == Approx(0.6).margin(0.02));
  CHECK(stage.state.masses[1] == 0.75);
  CHECK(stage.state.transfer.points() == points);
  stage.drag({x_of(stage.state.masses[0]), editor.middle.y}, {x_of(0.9), editor.middle.y});
  CHECK(stage.state.masses[0] == Approx(0.749));
  CHECK_FALSE(stage.actions.density_changed);
}

TEST_CASE("surfaces of masses are switched on and off") {
  PanelStage stage(kTall);
  stage.facts.masses = std::make_shared<const MassProfile>(stage.facts.histogram, 1e-4, 0.99);
  stage.state.mode = RenderMode::isosurface;
  stage.frames(2);
  stage.click(stage.find("levels", {"50, 75, 95 %"}).middle);
  CHECK(stage.state.masses == std::vector{0.5, 0.75, 0.95});
  stage.frames(2);
  stage.click(stage.find("levels", {"a density"}).middle);
  CHECK(stage.state.masses.empty());
}

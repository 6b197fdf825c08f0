#include <cmath>
#include <random>

#include "viewer/gl_fixture.hpp"
#include "viewer/shown/clipped_rays.hpp"
#include "viewer/volume_pictures.hpp"

namespace {

using namespace skde;
using namespace skde::test;
using namespace skde::view;

/// Returns the look of surfaces of these densities, whose colours have ever more red.
VolumeLook reddening_look(std::vector<double> densities) {
  VolumeLook look = white_look(4, 1);
  look.axis = {0.5, 2.5, false};
  look.colors = {{0, 0.7F, 0, 1}, {0.7F, 0.7F, 0, 1}};
  look.mode = RenderMode::isosurface;
  look.isovalue = look.axis.share_of(densities.front());
  if (densities.size() > 1) look.surfaces = std::move(densities);
  return look;
}

/// Returns the colour of the surface of a density in that look, lit where it has this normal.
glm::dvec3 lit_surface(double density, glm::dvec3 normal, glm::dvec3 direction,
                       const Perspective& seen_by) {
  return lit({0.7 * (density - 0.5) / 2, 0.7, 0}, normal, direction, seen_by);
}

}  // namespace

TEST_CASE_METHOD(GlFixture,
                 "cuts through bodies are filled with the colour of the innermost level") {
  std::mt19937 random(Catch::rngSeed());
  Choice choose(random);
  int filled = 0;
  for (int round = 0; round < 12; ++round) {
    const Ramp ramp = random_ramp(choose);
    VolumeView view;
    view.set_axes(choose.coin(), {choose.coin(), choose.coin(), choose.coin()});
    view.upload(volume_of(kClipGrid, [&](Vec3 place) { return ramp.at(place); }));
    const std::vector<double> levels =
        choose.coin() ? std::vector{choose.real(1.2, 1.8)} : std::vector{1.25, 1.5, 1.75};
    VolumeLook look = reddening_look(levels);
    if (round % 4 != 0) look.clip = random_clip(choose);  // else the volume's own faces cut
    const Camera camera = random_camera(choose);
    const Perspective perspective = view.perspective(camera, kClipSize);
    const Picture picture = draw(view, camera, look, bare_options(), kClipSize);
    for (int y = 0; y < kClipSize.y; ++y)
      for (int x = 0; x < kClipSize.x; ++x) {
        const Ray ray = perspective.ray({x + 0.5, y + 0.5});
        const auto part = kept_part(ray, look.clip, view.frame());
        if (!part || part->end - part->begin < 0.01 || part->begin - part->before < 0.01) continue;
        const double value =
            ramp.at(view.frame().to_world(ray.origin + part->begin * ray.direction));
        // Half a cell from the faces of the box values no longer rise.
        if (std::ranges::any_of(levels,
                                [&](double level) { return std::abs(value - level) < 0.04; }))
          continue;
        const auto inside =
            std::ranges::count_if(levels, [&](double level) { return level < value; });
        if (inside == 0) continue;
        ++filled;
        const glm::dvec3 wanted = lit_surface(levels[static_cast<std::size_t>(inside - 1)],
                                              part->normal, ray.direction, perspective);
        CAPTURE(round, x, y, value, levels.size());
        REQUIRE(int{picture.at(x, y)[0]} == Approx(wanted.x).margin(1.6));
        REQUIRE(int{picture.at(x, y)[1]} == Approx(wanted.y).margin(1.6));
      }
  }
  CHECK(filled > 1000);
}

TEST_CASE_METHOD(GlFixture, "an eye in a body sees its surface, and a cut from within") {
  const Box box = kClipGrid.bounds();
  const bool ends = GENERATE(true, false);
  VolumeView view;
  view.upload(volume_of(kClipGrid, [&](Vec3 place) {
    const Vec3 d = place - box.centre();
    return ends ? 2 - 0.5 * (d.y + 0.7 * d.x) : 2.0;
  }));
  Camera camera;
  camera.look(AxisView::front);
  camera.zoom = 200;
  const Perspective perspective = view.perspective(camera, kClipSize);
  const Ray ray = perspective.ray({48.5, 36.5});
  const glm::dvec3 slope = glm::dvec3(0.7, 1, 0) * view.frame().unit();
  const glm::dvec3 normal = ends ? glm::normalize(slope) : glm::dvec3(0, 1, 0);
  const glm::dvec3 wanted = lit_surface(1, normal, ray.direction, perspective);
  // One surface is opaque; of two, the outer one is less so than a cut.
  const auto seen = draw(view, camera, reddening_look({1}), bare_options(), kClipSize).at(48, 36);
  CHECK(int{seen[0]} == Approx(wanted.x).margin(3));
  CHECK(int{seen[1]} == Approx(wanted.y).margin(3));
  const auto nested =
      draw(view, camera, reddening_look({1, 50}), bare_options(), kClipSize).at(48, 36);
  CHECK((int{nested[1]} > 0.9 * wanted.y) == !ends);
}

TEST_CASE_METHOD(GlFixture, "a ball that a plane cuts shows its rings, and the probe reads them") {
  const Vec3 centre = kClipGrid.bounds().centre();
  VolumeView view;
  view.upload(volume_of(kClipGrid, [&](Vec3 place) {
    const Vec3 d = place - centre;
    return 3 - std::hypot(d.x, d.y, d.z);
  }));
  VolumeLook look = reddening_look({1.2, 1.6, 2.4});
  look.clip.plane = ClipPlane{{0, -1, 0}, -centre.y};
  Camera camera;
  camera.look(AxisView::front);
  const Perspective perspective = view.perspective(camera, kClipSize);
  const gl::Framebuffer target(kClipSize);
  view.draw(target, camera, look, bare_options());
  const Picture picture = view::gl::read_picture(target);
  for (const auto& [radius, level] : {std::pair{0.1, 2.4}, {1.0, 1.6}, {1.6, 1.2}}) {
    const Vec3 place = centre + Vec3{radius, 0, 0};
    const glm::dvec2 pixel(*perspective.project(view.frame().to_scene(place)));
    const auto shown = picture.at(static_cast<int>(pixel.x), static_cast<int>(pixel.y));
    const glm::dvec3 wanted =
        lit_surface(level, {0, -1, 0}, perspective.ray(pixel).direction, perspective);
    CAPTURE(radius);
    CHECK(int{shown[0]} == Approx(wanted.x).margin(2));
    CHECK(int{shown[1]} == Approx(wanted.y).margin(2));
    const auto read = view.volume.place_at({view.frame(), perspective, look, target}, pixel);
    REQUIRE(read);
    CHECK(read->x == Approx(place.x).margin(0.1));
    CHECK(read->y == Approx(centre.y).margin(1e-3));
  }
}

#include <fmt/core.h>

#include <cmath>
#include <random>

#include "support/temporary_folder.hpp"
#include "viewer/gl/shader_program.hpp"
#include "viewer/gl_fixture.hpp"
#include "viewer/layers/volume/transfer_function.hpp"
#include "viewer/scene/view_state.hpp"
#include "viewer/session/view_session.hpp"
#include "viewer/volume_pictures.hpp"

namespace {

using namespace skde;
using namespace skde::test;
using namespace skde::view;

double distance(const Picture& picture, int x, int y, const Rgb& color) {
  const auto& pixel = picture.at(x, y);
  return std::hypot(pixel[0] / 255.0 - color.red, pixel[1] / 255.0 - color.green,
                    pixel[2] / 255.0 - color.blue);
}

}  // namespace

TEST_CASE("the default opacities show the peak in its colour and what surrounds it") {
  const GlFixture context;
  const bool logarithmic = GENERATE(true, false);
  CAPTURE(logarithmic);
  const Grid grid{{-3, -3, -3}, {0.125, 0.125, 0.125}, {48, 48, 48}};
  VolumeView view;
  view.upload(volume_of(grid, [](Vec3 p) {
    const double r = p.x * p.x + p.y * p.y + p.z * p.z;
    const Vec3 lobe{p.x - 1.5, p.y, p.z - 1};
    return std::exp(-2 * r) +
           0.15 * std::exp(-4 * (lobe.x * lobe.x + lobe.y * lobe.y + lobe.z * lobe.z));
  }));
  ViewState state;
  set_axis_kind(state.transfer, axis_up_to(1, logarithmic));
  Camera camera;
  camera.look(AxisView::front);
  const Picture picture =
      draw(view, camera, look_of(state, view.volume), bare_options(), {200, 200});
  const Rgb peak = map_rgb(ColorMap::viridis, 1);
  CHECK(distance(picture, 100, 100, peak) < 0.4);
  // The lobe beside the peak is visible but lets the background through.
  double brightest = 0;
  for (int y = 60; y < 90; ++y)
    for (int x = 120; x < 150; ++x)
      for (std::size_t channel = 0; channel < 3; ++channel)
        brightest = std::max(brightest, picture.at(x, y)[channel] / 255.0);
  CHECK(brightest > 0.06);
  CHECK(brightest < 0.8);
}

namespace {

/// Clusters of random places and widths, or samples in a thin sheet.
std::string random_cloud(unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(-4, 4);
  std::string rows;
  const int clusters = 1 + static_cast<int>(seed % 4);
  for (int k = 0; k < clusters; ++k) {
    const Vec3 middle{uniform(random), uniform(random), uniform(random)};
    const double width = 0.3 + std::abs(normal(random));
    const double flat = seed % 5 == 0 ? 0.05 : 1;
    for (int i = 0; i < 400 / clusters; ++i)
      rows +=
          fmt::format("{} {} {}\n", middle.x + width * normal(random),
                      middle.y + width * normal(random), middle.z + flat * width * normal(random));
  }
  return rows;
}

struct Light {
  double mean = 0, lit = 0;  ///< over the box's picture: mean brightness 0..1; share of lit pixels
};

/// Compares the picture with that of a volume that is clear.
Light light_of(ViewSession& session) {
  const gl::Framebuffer target({220, 200});
  const auto drawn = [&] {
    session.scene.draw(target, {{0, 0}, target.size()}, session.state, {});
    return view::gl::read_picture(target);
  };
  const Picture shown = drawn();
  session.state.transfer.opacity_scale = 0;
  const Picture clear = drawn();
  session.state.transfer.opacity_scale = 1;
  Light light;
  constexpr int kBox = 100;  // about the side of the box's picture, in its middle
  for (int y = 50; y < 50 + kBox; ++y)
    for (int x = 25; x < 25 + kBox; ++x) {
      int most = 0;
      for (std::size_t c = 0; c < 3; ++c)
        most = std::max(most, shown.at(x, y)[c] - clear.at(x, y)[c]);
      light.mean += most / 255.0 / (kBox * kBox);
      light.lit += most > 12 ? 1.0 / (kBox * kBox) : 0;
    }
  return light;
}

}  // namespace

TEST_CASE("default opacities are neither black nor solid at any bandwidth") {
  const GlFixture context;
  const unsigned seed = GENERATE(1, 2, 3, 5, 10);
  const bool logarithmic = GENERATE(true, false);
  const TemporaryFolder folder;
  ViewOptions options;
  options.state.cloud.paths = {folder.file("a.xyz", random_cloud(seed))};
  options.state.density.grid.dims = {48, 0, 0};
  options.state.density.bandwidth.bandwidth = BandwidthRule::silverman;
  options.state.density.device = Device::cpu;
  options.state.transfer.axis.logarithmic = logarithmic;
  ViewSession session(options);
  session.wait([] { return false; });
  const double silverman = session.scene.density().metadata.h;
  for (const double factor : {0.15, 0.3, 1.0, 3.0}) {
    session.state.density.bandwidth.bandwidth = factor * silverman;
    session.wait([] { return false; });
    CHECK(session.state.transfer.follows_mass);
    const Light light = light_of(session);
    CAPTURE(seed, factor, logarithmic, light.mean, light.lit);
    CHECK(light.lit > 0.02);
    CHECK(light.lit < 0.9);
    CHECK(light.mean > 0.005);
    CHECK(light.mean < 0.6);
  }
}

TEST_CASE("opacities by mass leave clear what lies outside of the mass, and raise three surfaces") {
  std::mt19937 random(GENERATE(1, 2, 3, 4, 5));
  Histogram histogram;
  histogram.axis = {1e-9, 2, true};
  for (std::uint64_t& count : histogram.counts) count = random() % 1000;
  const MassProfile masses(histogram, 1e-3, 0.9);
  const ValueAxis axis = axis_up_to(2, random() % 2 == 0);
  TransferFunction function;
  function.follow_mass(opacities_by_mass(masses, axis, 5e3));
  CHECK(function.follows_mass);
  const double edge = axis.share_of(masses.region(0.97 * 0.9)->level);
  CHECK(function.opacity_at(0.99 * edge) == 0);
  CHECK(function.opacity_at(1) > 0);
  // Where the haze has room for a surface, it is more opaque than on either side.
  double free = edge;
  for (const double share : {0.95, 0.75, 0.5}) {
    const auto surface = masses.region(share);
    const double at = surface ? axis.share_of(surface->level) : 0;  // the box holds 0.9
    if (at - 0.012 < free + 0.001 || at + 0.012 > 0.999) continue;
    free = at + 0.012;
    CHECK(function.opacity_at(at) > function.opacity_at(at - 0.012) + 0.04);
    CHECK(function.opacity_at(at) > function.opacity_at(free) + 0.04);
  }
  function.move(1, {0.5, 0.5});
  CHECK_FALSE(function.follows_mass);
}

TEST_CASE("A cloud turns its broad side and its depths, unless the user has turned them") {
  const GlFixture context;
  const TemporaryFolder folder;
  const auto never = [] { return false; };
  std::string rows = "x,y,depth\n";
  for (int i = 0; i < 100; ++i) rows += fmt::format("{},{},{}\n", i % 10, i / 10, i % 3);
  ViewOptions options;
  options.state.cloud.paths = {folder.file("deep.csv", rows)};
  options.state.density.grid.dims = {12, 0, 0};
  options.state.density.device = Device::cpu;
  ViewSession session(options);
  session.wait(never);
  CHECK(session.state.camera.elevation > 45);
  CHECK(drawn_flips(session.scene, session.state) == std::array{false, false, true});
  session.state.flipped = std::array{false, false, false};
  CHECK(drawn_flips(session.scene, session.state) == std::array{false, false, false});
  session.state.camera.azimuth = 10;
  session.open_files({folder.file("other.csv", rows)});
  session.wait(never);
  CHECK(session.state.camera.azimuth == 10);
  CHECK(session.state.camera.elevation > 45);
}

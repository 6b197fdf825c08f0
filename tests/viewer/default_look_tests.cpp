#include <cmath>

#include "viewer/gl_fixture.hpp"
#include "viewer/session/view_state.hpp"
#include "viewer/test_volumes.hpp"
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
  const Picture picture = draw(view, camera, volume_look(state), bare_options(), {200, 200});
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

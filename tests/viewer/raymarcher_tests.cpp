#include "viewer/layers/volume/raymarcher.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "viewer/gl_fixture.hpp"
#include "viewer/layers/volume/transfer_function.hpp"
#include "viewer/volume_pictures.hpp"

namespace {

using namespace skde;
using namespace skde::view;
using test::bare_options;
using test::draw;
using test::GlFixture;
using test::greatest_difference;
using test::random_volume;
using test::volume_of;
using test::white_look;

constexpr glm::ivec2 kFogSize{160, 120};
const Grid kFogGrid{{-1, 2, 5}, {0.1, 0.2, 0.15}, {40, 33, 50}};

/// Three bumps of different heights, and much empty space.
double bumps(Vec3 world) {
  const Vec3 middle = kFogGrid.bounds().centre();
  double sum = 0;
  for (int i = 0; i < 3; ++i) {
    const Vec3 d = world - middle - Vec3{0.9 * (i - 1), 1.1 * (i % 2), 1.5 * (1 - i)};
    sum += std::pow(10.0, -i) * std::max(0.0, 1 - d.x * d.x - d.y * d.y - d.z * d.z);
  }
  return sum;
}

TEST_CASE_METHOD(GlFixture, "an even slab thins light out as its thickness tells") {
  VolumeView view;
  view.upload(volume_of(kFogGrid, [](Vec3) { return 2.0; }));
  Camera camera;
  camera.look(AxisView::front);
  const float opacity = 0.02F;
  VolumeLook look = white_look(2, opacity);
  look.quality = GENERATE(0.2, 0.77, 1.0, 3.0);
  look.jitter = GENERATE(false, true);
  look.gradient_shading = GENERATE(false, true);
  CAPTURE(look.quality, look.jitter, look.gradient_shading);
  const Picture picture = draw(view, camera, look, bare_options(), kFogSize);
  // With an odd number of pixels the middle ray is straight to 1e-4.
  const Vec3 extent = kFogGrid.bounds().extent();
  const double diagonal =
      std::sqrt(extent.x * extent.x + extent.y * extent.y + extent.z * extent.z);
  const double through = std::pow(1 - opacity, extent.y / (diagonal / 100));
  CHECK(picture.at(kFogSize.x / 2, kFogSize.y / 2)[0] == Approx(255 * (1 - through)).margin(1.6));
}

TEST_CASE_METHOD(GlFixture, "leaping over empty bricks changes no picture") {
  VolumeView view;
  view.upload(volume_of(kFogGrid, bumps));
  VolumeLook look = white_look(1, 0.2F);
  VolumeViewOptions options = bare_options();
  SECTION("composite") {}
  SECTION("composite of a band of values") {
    look.colors = {{1, 0, 0, 0}, {1, 0, 0, 0}, {0, 1, 0, 0.5F}, {0, 0, 1, 0}, {0, 0, 1, 0}};
  }
  SECTION("logarithmic") { look.axis = {1e-3, 1, true}; }
  SECTION("shaded") { look.gradient_shading = true; }
  SECTION("maximum") { look.mode = RenderMode::maximum; }
  SECTION("isosurface") {
    look.mode = RenderMode::isosurface;
    look.isovalue = 0.05;
  }
  for (const Camera camera : {Camera{-60, 25}, Camera{100, -50, 2}, Camera{-90, 0, 9}}) {
    options.march.skip_empty = true;
    const Picture leaping = draw(view, camera, look, options, kFogSize);
    options.march.skip_empty = false;
    const Picture plain = draw(view, camera, look, options, kFogSize);
    CHECK(greatest_difference(leaping, plain) <= 2);
    Picture black = plain;
    std::fill(black.pixels.begin(), black.pixels.end(), std::array<std::uint8_t, 4>{});
    CHECK(greatest_difference(plain, black) > 5);
  }
}

const Grid kHillGrid{{-4, -4, -4}, {0.1, 0.1, 0.1}, {80, 80, 80}};

/// A wide hill with a narrow one in it.
double hills(Vec3 w) {
  const auto hill = [&](Vec3 at, double width) {
    const Vec3 d = (1 / width) * (w - at);
    return std::exp(-0.5 * (d.x * d.x + d.y * d.y + d.z * d.z));
  };
  return hill({0, 0, 0}, 1.6) + 0.3 * hill({1, 0.5, -1}, 0.25);
}

/// Returns the numbers that a skip map has of the bricks.
std::vector<std::uint8_t> skip_numbers(const Volume& volume, const VolumeLook& look) {
  VolumeTexture texture;
  texture.upload(volume);
  BrickGrid bricks;
  bricks.update(texture);
  LookTexture colors;
  colors.update(look);
  SkipMap map;
  map.update(bricks, colors, look, texture.unit(), 1);
  const glm::ivec3 size = bricks.bricks();
  std::vector<std::uint8_t> numbers(static_cast<std::size_t>(size.x * size.y * size.z));
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glGetTextureImage(map.distances().id(), 0, GL_RED_INTEGER, GL_UNSIGNED_BYTE,
                    static_cast<GLsizei>(numbers.size()), numbers.data());
  return numbers;
}

TEST_CASE_METHOD(GlFixture, "wider steps through smooth bricks change no picture") {
  const Volume volume = volume_of(kHillGrid, hills);
  VolumeView view;
  view.upload(volume);
  const TransferFunction soft;
  VolumeLook look;
  look.axis = axis_up_to(volume.maximum(), true);
  look.colors = soft.table(256);
  for (glm::vec4& color : look.colors) color.a *= 0.3F;  // so that no brick is rough
  int most = 2;
  SECTION("composite") {}
  SECTION("shaded") {
    look.gradient_shading = true;
    most = 4;
  }
  SECTION("maximum") { look.mode = RenderMode::maximum; }
  VolumeViewOptions options = bare_options();
  const std::vector<std::uint8_t> numbers = skip_numbers(volume, look);
  const auto smooth = [](std::uint8_t number) { return number % 64 == 0 && number >= 64; };
  // A maximum is sharp at the lower end of the axis.
  if (look.mode == RenderMode::composite) CHECK(std::ranges::count_if(numbers, smooth) > 100);
  for (const Camera camera : {Camera{-60, 25}, Camera{100, -50, 2}}) {
    options.march.skip_empty = true;
    const Picture wider = draw(view, camera, look, options, kFogSize);
    options.march.skip_empty = false;
    CHECK(greatest_difference(wider, draw(view, camera, look, options, kFogSize)) <= most);
  }
}

TEST_CASE_METHOD(GlFixture, "steps through rough bricks are no wider") {
  VolumeLook look = white_look(1, 0.8F);
  look.axis = {1e-8, 0.05, true};
  for (const std::uint8_t number : skip_numbers(random_volume(kFogGrid), look))
    REQUIRE(number == 0);
}

TEST_CASE_METHOD(GlFixture, "a volume of zeros shows the background") {
  VolumeView view;
  view.upload(Volume(kFogGrid, Precision::f64));
  VolumeViewOptions options = bare_options();
  options.background = {0.2F, 0.4F, 0.6F};
  VolumeLook look = white_look(1, 0.5F);
  look.mode = GENERATE(RenderMode::composite, RenderMode::maximum, RenderMode::isosurface);
  look.gradient_shading = GENERATE(false, true);
  look.axis = GENERATE(ValueAxis{0, 1, false}, ValueAxis{1e-6, 1, true});
  const Picture picture = draw(view, {}, look, options, kFogSize);
  for (const auto& pixel : picture.pixels)
    REQUIRE(pixel == std::array<std::uint8_t, 4>{51, 102, 153, 255});
}

TEST_CASE_METHOD(GlFixture, "the isosurface lies where the density has its value") {
  VolumeView view;
  const Box box = kFogGrid.bounds();
  // The density is the depth in the box, so the surface is a plane facing the camera.
  view.upload(volume_of(kFogGrid, [&](Vec3 w) { return w.y - box.lower.y; }));
  const double depth = 2.6;
  VolumeLook look = white_look(box.extent().y, 1);
  look.colors = {{0.8F, 0.1F, 0.1F, 1}, {0.8F, 0.1F, 0.1F, 1}};
  look.mode = RenderMode::isosurface;
  look.isovalue = depth / box.extent().y;
  look.quality = GENERATE(0.5, 1.0);
  Camera camera;
  camera.look(AxisView::front);
  VolumeViewOptions options = bare_options();
  const Picture plain = draw(view, camera, look, options, kFogSize);
  CHECK(int{plain.at(80, 60)[0]} > 100);  // visible, and lit

  // A sample just in front of the surface is visible, one just behind it is not.
  const double cell = kFogGrid.spacing.y;
  const auto with_sample_at = [&](double y) {
    const std::vector<double> xyz{box.centre().x, box.lower.y + y, box.centre().z};
    view.points.discs().assign({xyz, {}});
    options.points = true;
    options.pixel_scale = 3;
    return greatest_difference(draw(view, camera, look, options, kFogSize), plain);
  };
  CHECK(with_sample_at(depth - 0.05 * cell) > 40);
  CHECK(with_sample_at(depth + 0.05 * cell) <= 1);
}

TEST_CASE_METHOD(GlFixture, "the maximum has the colour of the greatest value on the ray") {
  VolumeView view;
  view.upload(volume_of(kFogGrid, [](Vec3 w) { return w.y - kFogGrid.lower.y; }));
  VolumeLook look = white_look(2 * kFogGrid.bounds().extent().y, 1);
  look.mode = RenderMode::maximum;
  look.colors = {{0, 0, 1, 0}, {1, 0, 1, 0}};
  Camera camera;
  camera.look(AxisView::front);
  const Picture picture = draw(view, camera, look, bare_options(), kFogSize);
  // The last layer of cells has half of the axis' range, less half a cell.
  CHECK(picture.at(80, 60)[0] == Approx(255 * 0.5 * (1 - 0.5 / 33)).margin(1.5));
  CHECK(picture.at(80, 60)[2] == 255);
}

TEST_CASE_METHOD(GlFixture, "from inside the box rays begin at the eye") {
  VolumeView view;
  const Box box = kFogGrid.bounds();
  // Only the part behind the eye is dense.
  view.upload(volume_of(kFogGrid, [&](Vec3 w) { return w.y < box.centre().y - 0.8 ? 1.0 : 0.0; }));
  Camera camera;
  camera.look(AxisView::front);
  camera.zoom = 200;
  const Picture picture = draw(view, camera, white_look(1, 0.5F), bare_options(), kFogSize);
  CHECK(int{picture.at(80, 60)[0]} == 0);
  camera.azimuth = 90;
  CHECK(int{draw(view, camera, white_look(1, 0.5F), bare_options(), kFogSize).at(80, 60)[0]} > 200);
}

TEST_CASE_METHOD(GlFixture, "the time of a march is told once the card is done") {
  VolumeView view;
  view.upload(volume_of(kFogGrid, bumps));
  draw(view, {}, white_look(1, 0.2F), bare_options(), kFogSize);
  glFinish();
  CHECK(view.volume.march_seconds() > 0);
}

}  // namespace

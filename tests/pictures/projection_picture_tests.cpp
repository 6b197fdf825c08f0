#include <algorithm>
#include <string>

#include "core/report/error.hpp"
#include "pictures/color_map.hpp"
#include "pictures/picture_axes.hpp"
#include "pictures/picture_captions.hpp"
#include "pictures/picture_layout.hpp"
#include "pictures/png_file.hpp"
#include "pictures/projection_picture.hpp"
#include "pictures/whole_projection.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

using namespace skde;
using namespace skde::test;

#if SKDE_HAS_PICTURES

namespace {

using Pixel = std::array<std::uint8_t, 4>;

Volume volume_of(const Grid& grid, Precision precision, double value) {
  Volume volume(grid, precision);
  if (precision == Precision::f32)
    volume.values<float>()[0] = static_cast<float>(value);
  else
    volume.values<double>()[0] = value;
  return volume;
}

void check_picture(const Grid& grid, Precision precision, double value,
                   const DensityMetadata& metadata = {}) {
  const TemporaryFolder folder;
  const std::string path = folder.path("density.png");
  write_projection_picture(path, project_maximum(volume_of(grid, precision, value)), grid,
                           metadata);
  const Picture picture = read_png(path);
  CHECK(picture.width >= 500);
  CHECK(picture.width <= 1600);
  CHECK(picture.height >= 400);
  CHECK(picture.height <= 1300);
  const Color peak = map_color(1);
  CHECK(picture.pixels.front() == Pixel{255, 255, 255, 255});
  CHECK(std::ranges::count(picture.pixels, Pixel{0, 0, 0, 255}) > 1000);  // frames and text
  if (value > 0)
    CHECK(std::ranges::count(picture.pixels, Pixel{peak.red, peak.green, peak.blue, 255}) > 0);
  CHECK(folder.names().size() == 1);
}

}  // namespace

TEST_CASE("a picture is a PNG of a handy size for any grid") {
  check_picture({{0, 0, 0}, {1, 1, 1}, {1, 1, 1}}, Precision::f32, 1);
  check_picture({{-2, 0, 10}, {1, 1, 1}, {5, 7, 3}}, Precision::f64, 1e-300);
  check_picture({{0, 0, 0}, {1, 1, 1}, {2000, 3, 1}}, Precision::f32, 0);
  check_picture({{1e6, -1e6, 1e9}, {1e-5, 1e-5, 1e-5}, {40, 30, 20}}, Precision::f64, 1e200);
  check_picture({{-123, 36, 0}, {0.1, 0.1, 10}, {100, 60, 70}}, Precision::f32, 2);
}

TEST_CASE("a picture copes with any unit") {
  DensityMetadata metadata;
  metadata.units = std::string("\xff\n");
  metadata.units.append(300, 'm');
  check_picture({{0, 0, 0}, {1, 1, 1}, {8, 8, 8}}, Precision::f32, 1, metadata);
}

TEST_CASE("names of columns, stretched axes and warnings are part of the picture") {
  const TemporaryFolder folder;
  const auto picture_of = [&](const Grid& grid, const DensityMetadata& metadata) {
    const std::string path = folder.path("density.png");
    write_projection_picture(path, project_maximum(volume_of(grid, Precision::f32, 1)), grid,
                             metadata);
    return read_png(path);
  };
  const Grid grid{{0, 0, 0}, {1, 1, 1}, {8, 8, 8}};
  const Picture plain = picture_of(grid, {});
  DensityMetadata named;
  named.axis_names = {"longitude", "latitude", "depth"};
  const Picture with_names = picture_of(grid, named);
  CHECK(with_names.height == plain.height);
  CHECK(with_names.pixels != plain.pixels);
  named.warnings = {"12 % of the mass lies outside of the box", "the kernel is flat"};
  const Picture warned = picture_of(grid, named);
  CHECK(warned.height == plain.height + 2 * 22);  // one line each
  CHECK(axis_name(named, 2) == "depth");
  CHECK(axis_name({}, 2) == "z");
}

TEST_CASE("flipped axes move the density and their ticks") {
  const TemporaryFolder folder;
  const Grid grid{{0, 0, 0}, {1, 1, 1}, {8, 8, 8}};
  const Color peak = map_color(1);
  /// The centre of the peak's pixels in the lower left panel, which shows x and y.
  const auto middle = [&](std::array<bool, 3> flipped, Picture& picture) {
    const std::string path = folder.path("density.png");
    write_projection_picture(path, project_maximum(volume_of(grid, Precision::f32, 1)), grid, {},
                             flipped);
    picture = read_png(path);
    double x = 0, y = 0, count = 0;
    for (int j = picture.height / 2; j < picture.height; ++j)
      for (int i = 0; i < picture.width / 2; ++i) {
        if (picture.at(i, j) != Pixel{peak.red, peak.green, peak.blue, 255}) continue;
        x += i;
        y += j;
        ++count;
      }
    REQUIRE(count > 100);
    return std::array<double, 2>{x / count, y / count};
  };
  Picture plain, other;
  const auto [x, y] = middle({}, plain);
  const auto [mirrored_x, same_y] = middle({true, false, false}, other);
  CHECK(mirrored_x > x + 100);
  CHECK(same_y == Approx(y).margin(2));
  CHECK(other.width == plain.width);
  const auto [same_x, mirrored_y] = middle({false, true, false}, other);
  CHECK(mirrored_y < y - 100);
  CHECK(same_x == Approx(x).margin(2));
  const PictureAxis down{.lower = 0, .upper = 10, .ticks = {}, .caption = {}, .flipped = true};
  CHECK(down.pixel(0, 100) == 100);
  CHECK(down.pixel(2.5, 100) == 75);
}

TEST_CASE("volumes side by side have one colour scale") {
  const TemporaryFolder folder;
  const Grid grid{{0, 0, 0}, {1, 1, 1}, {4, 4, 4}};
  const auto projected = [&](double value) {
    return project_maximum(volume_of(grid, Precision::f32, value));
  };
  /// The number of pixels of this colour in each third of the picture, without the colour bar.
  const auto counts = [&](const std::vector<double>& values, Color color) {
    ProjectionSheet sheet{"Three", {"a", "b", "c"}, {}};
    for (const double value : values) sheet.projections.push_back(projected(value));
    write_projection_sheet(folder.path("three.png"), sheet, grid, {});
    const Picture picture = read_png(folder.path("three.png"));
    CHECK(picture.width > 2 * picture.height);
    std::array<int, 3> found{};
    for (int y = picture.height / 2; y < picture.height; ++y)  // the panels xy and zy
      for (int x = 0; x < picture.width; ++x)
        if (picture.at(x, y) == Pixel{color.red, color.green, color.blue, 255})
          ++found[static_cast<std::size_t>(3 * x / picture.width)];
    return found;
  };
  const auto [a, b, c] = counts({1, 2, 2}, map_color(1));
  CHECK(a == 0);
  CHECK(b > 1000);
  CHECK(c > 1000);
  const auto [half, most, none] = counts({1, 2, 0}, map_color(0.5));
  CHECK(half > 1000);
  CHECK(most == 0);
  CHECK(none == 0);
}

TEST_CASE("a picture that cannot be written leaves nothing behind") {
  const TemporaryFolder folder;
  const Volume volume(Grid{{0, 0, 0}, {1, 1, 1}, {4, 4, 4}}, Precision::f32);
  try {
    write_projection_picture(folder.path("missing/density.png"), project_maximum(volume),
                             volume.grid(), {});
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::output);
    CHECK(std::string(error.what()).find("density.png") != std::string::npos);
  }
  CHECK(folder.names().empty());
}

#else

TEST_CASE("a build without pictures says so") {
  const TemporaryFolder folder;
  const Volume volume(Grid{{0, 0, 0}, {1, 1, 1}, {4, 4, 4}}, Precision::f32);
  try {
    write_projection_picture(folder.path("density.png"), project_maximum(volume), volume.grid(),
                             {});
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::unsupported);
    CHECK(error.parameter() == "picture");
  }
  CHECK(folder.names().empty());
}

#endif

TEST_CASE("sides of like lengths share a scale, others stay readable") {
  const PictureSides cube = choose_sides({10, 10, 10}, 1000, 800);
  CHECK(cube.one_scale);
  CHECK(cube.pixels == std::array<int, 3>{400, 400, 400});
  const PictureSides flat = choose_sides({120, 90, 30}, 1200, 900);
  CHECK(flat.one_scale);
  CHECK(flat.pixels[0] == 4 * flat.pixels[2]);
  for (const Vec3& extent : {Vec3{100, 1, 1}, Vec3{1, 100, 1}, Vec3{1, 1, 100}, Vec3{100, 100, 1},
                             Vec3{10, 6, 700}, Vec3{1e-9, 1, 1e9}, Vec3{4.1, 1, 2}}) {
    CAPTURE(extent.x, extent.y, extent.z);
    const PictureSides sides = choose_sides(extent, 1200, 900);
    CHECK_FALSE(sides.one_scale);
    CHECK(*std::min_element(sides.pixels.begin(), sides.pixels.end()) >= 110);
    CHECK(sides.pixels[0] + sides.pixels[2] <= 1202);
    CHECK(sides.pixels[1] + sides.pixels[2] <= 902);
  }
}

TEST_CASE("facts name what the metadata knows") {
  const Grid grid{{0, 0, 0}, {1, 1, 1}, {12, 34, 56}};
  CHECK(picture_facts({}, grid) ==
        std::vector<std::string>{"Epanechnikov kernel", "12 \u00d7 34 \u00d7 56 cells"});
  DensityMetadata metadata;
  metadata.H = Symmetric3::diagonal(0.25, 1, 4);
  metadata.bandwidth_source = "given";
  metadata.units = std::string("m");
  metadata.samples = 1234567;
  metadata.effective_samples = 999.5;
  metadata.mass_in_box = 0.99999;
  CHECK(picture_facts(metadata, grid) ==
        std::vector<std::string>{
            "Epanechnikov kernel", "H diagonal (0.25, 1, 4) m\u00b2 (given)", "N = 1,234,567",
            "n_eff = 999.5", "> 99.99 % of the mass in the box", "12 \u00d7 34 \u00d7 56 cells"});
  CHECK(quantity_unit(metadata) == "m\u207b\u00b3");
  metadata.normalization = Normalization::count;
  CHECK(quantity_name(metadata) == "count");
}

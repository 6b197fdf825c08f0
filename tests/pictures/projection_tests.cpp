#include "core/space/projection.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/report/error.hpp"
#include "pictures/color_map.hpp"
#include "pictures/heat_image.hpp"
#include "pictures/picture_axes.hpp"
#include "pictures/picture_captions.hpp"
#include "pictures/picture_layout.hpp"
#include "pictures/png_file.hpp"
#include "pictures/projection_picture.hpp"
#include "support/catch.hpp"
#include "support/cells.hpp"
#include "support/temporary_folder.hpp"

using namespace skde;
using namespace skde::test;

namespace {

/// The projections of a whole volume.
Projections project_maximum(const Volume& volume) {
  MaximumProjector projector(volume.grid().dims);
  projector.add(0, volume);
  return projector.take_projections();
}

std::string write_projection_picture(const std::string& path, const Projections& projections,
                                     const Grid& grid, const DensityMetadata& metadata,
                                     const std::vector<std::string>& flipped = {}) {
  return write_projection_sheet(path, {"Kernel density", {""}, {projections}}, grid, metadata,
                                {.flipped = flipped});
}

constexpr std::array<std::int64_t, 3> kDims{7, 5, 3};

/// Pseudo-random values below 1, and the value 9 in the corner of greatest x, lowest y and greatest
/// z.
template <class Real>
Volume marked_volume(double factor = 1) {
  std::vector<Real> values(105);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<Real>(factor * static_cast<double>((i * 37 + 11) % 101) / 101);
  values[static_cast<std::size_t>((2 * 5 + 0) * 7 + 6)] = static_cast<Real>(9 * factor);
  return Volume(Grid{{0, 0, 0}, {1, 1, 1}, kDims}, std::move(values));
}

/// The greatest value over all cells that project to a cell of the image, by the definition.
double greatest_on(const Volume& volume, const Projection& image, std::int64_t column,
                   std::int64_t row) {
  double greatest = -std::numeric_limits<double>::infinity();
  for (const auto& [i, j, k] : test::cells_of(kDims)) {
    const std::array<std::int64_t, 3> cell{i, j, k};
    if (cell[static_cast<std::size_t>(image.columns_axis)] == column &&
        cell[static_cast<std::size_t>(image.rows_axis)] == row)
      greatest = std::max(greatest, volume.at(i, j, k));
  }
  return greatest;
}

void check_against_definition(const Volume& volume) {
  const Projections images = project_maximum(volume);
  for (const Projection* image : {&images.xy, &images.xz, &images.zy}) {
    REQUIRE(image->width == kDims[static_cast<std::size_t>(image->columns_axis)]);
    REQUIRE(image->height == kDims[static_cast<std::size_t>(image->rows_axis)]);
    for (std::int64_t row = 0; row < image->height; ++row)
      for (std::int64_t column = 0; column < image->width; ++column)
        CHECK(image->at(column, row) == greatest_on(volume, *image, column, row));
  }
}

}  // namespace

TEST_CASE("a projection is the greatest value on each line") {
  check_against_definition(marked_volume<float>());
  check_against_definition(marked_volume<double>());
  check_against_definition(marked_volume<double>(1e60));
  check_against_definition(marked_volume<float>(-1));
}

TEST_CASE("a marked corner is where the axes say") {
  const Projections images = project_maximum(marked_volume<float>());
  CHECK(images.xy.at(6, 0) == 9);
  CHECK(images.xz.at(6, 2) == 9);
  CHECK(images.zy.at(2, 0) == 9);
}

TEST_CASE("a projection of a signed field is the value furthest from 0 on each line") {
  MaximumProjector projector({2, 2, 2}, Extreme::furthest);
  projector.add(0, Volume(Grid{{0, 0, 0}, {1, 1, 1}, {2, 2, 2}},
                          std::vector<float>{1, -2, 0, 3, -4, 2, 0, NAN}));
  const Projections images = projector.take_projections();
  CHECK(images.xy.values == std::vector<double>{-4, 2, 0, 3});
  CHECK(images.xz.values == std::vector<double>{1, 3, -4, 2});
  CHECK(images.zy.values == std::vector<double>{-2, -4, 3, 0});
}

TEST_CASE("a projection passes over values that are not numbers") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Volume volume(Grid{{0, 0, 0}, {1, 1, 1}, {2, 1, 2}}, std::vector<float>{nan, nan, nan, 3});
  const Projections images = project_maximum(volume);
  CHECK(images.xy.values == std::vector<double>{0, 3});
  CHECK(images.zy.values == std::vector<double>{0, 3});
}

TEST_CASE("an image of a projection has its lowest row at the bottom and cells of even size") {
  const Projection projection{0, 1, 2, 2, {0, 0.25, 0.5, 1}};
  const std::vector<Color> pixels = heat_image(projection, 6, 4, 1);
  REQUIRE(pixels.size() == 24);
  CHECK(pixels[0] == pixels[8]);
  CHECK(pixels[5] == map_color(1));
  CHECK(pixels[18] == map_color(0));
  CHECK(pixels[2] == pixels[0]);
  CHECK(!(pixels[3] == pixels[2]));
}

TEST_CASE("a single bright cell among thousands stays in a small image") {
  Projection projection{0, 1, 3001, 1777, {}};
  projection.values.assign(3001 * 1777, 0.0);
  projection.values[1234 * 3001 + 2222] = 5;
  for (const int side : {1, 100, 1776}) {
    const std::vector<Color> pixels = heat_image(projection, side, side, 5);
    CHECK(std::count(pixels.begin(), pixels.end(), map_color(1)) >= 1);
  }
}

TEST_CASE("an image without mass or with infinite values is drawn") {
  const Projection zeros{0, 1, 1, 1, {0}};
  CHECK(heat_image(zeros, 2, 2, 0) == std::vector<Color>(4, map_color(0)));
  const Projection endless{0, 1, 2, 1, {0, std::numeric_limits<double>::infinity()}};
  CHECK(heat_image(endless, 3, 1, 1).back() == map_color(1));
}

TEST_CASE("slices that come in slabs give the projections of the whole") {
  const Volume volume = marked_volume<float>();
  const auto [nx, ny, nz] = volume.grid().dims;
  const Projections whole = project_maximum(volume);
  for (const std::int64_t depth : {std::int64_t{1}, std::int64_t{2}}) {
    MaximumProjector projector(volume.grid().dims);
    for (std::int64_t z = 0; z < nz; z += depth) {
      const std::int64_t slices = std::min(depth, nz - z);
      const auto values = volume.values<float>().subspan(
          static_cast<std::size_t>(z * nx * ny), static_cast<std::size_t>(slices * nx * ny));
      projector.add(z, Volume(slab_of(volume.grid(), z, slices),
                              std::vector<float>(values.begin(), values.end())));
    }
    const Projections parts = projector.take_projections();
    CHECK(parts.xy.values == whole.xy.values);
    CHECK(parts.xz.values == whole.xz.values);
    CHECK(parts.zy.values == whole.zy.values);
  }
}

TEST_CASE("a flipped image is the mirrored one") {
  const Projection projection{0, 1, 3, 2, {0, 0.2, 0.4, 0.6, 0.8, 1}};
  const std::vector<Color> plain = heat_image(projection, 12, 8, 1);
  const std::vector<Color> columns = heat_image(projection, 12, 8, 1, true, false);
  const std::vector<Color> rows = heat_image(projection, 12, 8, 1, false, true);
  for (std::size_t y = 0; y < 8; ++y)
    for (std::size_t x = 0; x < 12; ++x) {
      CHECK(columns[12 * y + x] == plain[12 * y + 11 - x]);
      CHECK(rows[12 * y + x] == plain[12 * (7 - y) + x]);
    }
}

TEST_CASE("a projector holds what it says") {
  constexpr std::int64_t kMiB = std::int64_t{1} << 20;
  const std::array<std::int64_t, 3> thin{1 << 20, 1, 1 << 10};
  // The projection xz has 2^30 cells, the others have few.
  CHECK(MaximumProjector::held_bytes(thin, Precision::f32) > 8 * 1024 * kMiB);
  CHECK(MaximumProjector::held_bytes(thin, Precision::f32) < (8 * 1024 + 100) * kMiB);
  CHECK(MaximumProjector::held_bytes({64, 64, 64}, Precision::f64) < kMiB);
}

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
  const auto middle = [&](const std::vector<std::string>& flipped, Picture& picture) {
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
  const auto [mirrored_x, same_y] = middle({"x"}, other);
  CHECK(mirrored_x > x + 100);
  CHECK(same_y == Approx(y).margin(2));
  CHECK(other.width == plain.width);
  const auto [same_x, mirrored_y] = middle({"y"}, other);
  CHECK(mirrored_y < y - 100);
  CHECK(same_x == Approx(x).margin(2));
  const PictureAxis down{.lower = 0, .upper = 10, .ticks = {}, .caption = {}, .flipped = true};
  CHECK(down.pixel(0, 100) == 100);
  CHECK(down.pixel(2.5, 100) == 75);
}

TEST_CASE("depths grow downwards, unless they are told to grow upwards or lie below 0") {
  const Box below{{0, 0, -1}, {1, 1, 9}}, above{{0, 0, -9}, {1, 1, 1}};
  const std::array<bool, 3> up{}, down{false, false, true};
  for (const char* const name : {"depth", "Depth (km)", "depth_km", "dep"})
    CHECK(drawn_flips({}, name, below) == down);
  for (const char* const name : {"z", "elevation", "depth of field", ""})
    CHECK(drawn_flips({}, name, below) == up);
  CHECK(drawn_flips({}, "depth", above) == up);
  CHECK(drawn_flips(up, "depth", below) == up);
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

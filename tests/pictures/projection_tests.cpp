#include <algorithm>
#include <cmath>
#include <limits>

#include "pictures/heat_image.hpp"
#include "pictures/whole_projection.hpp"
#include "support/catch.hpp"
#include "support/cells.hpp"

using namespace skde;
using test::project_maximum;

namespace {

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

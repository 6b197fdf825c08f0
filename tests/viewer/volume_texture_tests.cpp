#include "viewer/layers/volume/volume_texture.hpp"

#include <limits>

#include "support/thrown_error.hpp"
#include "viewer/gl_fixture.hpp"
#include "viewer/layers/volume/volume_histogram.hpp"
#include "viewer/volume_pictures.hpp"

namespace {

using namespace skde;
using namespace skde::view;
using test::GlFixture;
using test::random_volume;
using test::volume_of;

const Grid kOddGrid{{1e6, 0, -3}, {0.5, 1, 2}, {21, 9, 35}};

TEST_CASE_METHOD(GlFixture, "a volume comes back from its texture bit for bit") {
  const Volume volume = random_volume(kOddGrid);
  VolumeTexture texture;
  texture.upload(volume);
  const Volume back = texture.read_back();
  CHECK(back.grid() == kOddGrid);
  CHECK(std::equal(volume.values<float>().begin(), volume.values<float>().end(),
                   back.values<float>().begin()));
}

TEST_CASE_METHOD(GlFixture, "a volume of the same dims keeps the texture") {
  VolumeTexture texture;
  texture.upload(random_volume(kOddGrid));
  const GLuint id = texture.texture().id();
  Grid grid = kOddGrid;
  grid.lower = {1, 2, 3};
  texture.upload(volume_of(grid, [](Vec3) { return 2.0; }));
  CHECK(texture.texture().id() == id);
  CHECK(texture.read_back().maximum() == 2);
  CHECK(texture.grid() == grid);
}

TEST_CASE_METHOD(GlFixture, "doubles outside the range of float are scaled into it") {
  const Volume small = random_volume(kOddGrid);
  std::vector<double> values;
  for (const float value : small.values<float>()) values.push_back(value * 1e-60);
  VolumeTexture texture;
  texture.upload(Volume(kOddGrid, values));
  BrickGrid bricks;
  bricks.update(texture);
  const double peak = *std::max_element(values.begin(), values.end());
  CHECK(bricks.positive_range().greatest == Approx(peak).epsilon(1e-6).margin(0));
}

TEST_CASE_METHOD(GlFixture, "infinities and floats without digits do not spoil the scale") {
  std::vector<double> huge(static_cast<std::size_t>(kOddGrid.cells()), 1e50);
  huge[7] = std::numeric_limits<double>::infinity();
  huge[8] = 3e50;
  VolumeTexture texture;
  texture.upload(Volume(kOddGrid, huge));
  CHECK(static_cast<double>(texture.unit()) == Approx(3e50).epsilon(1));
  std::vector<float> tiny(static_cast<std::size_t>(kOddGrid.cells()), 1e-44F);
  tiny[8] = 1e-40F;
  texture.upload(Volume(kOddGrid, tiny));
  BrickGrid bricks;
  bricks.update(texture);
  CHECK(bricks.positive_range().greatest == Approx(1e-40).epsilon(1e-4).margin(0));
  CHECK(bricks.positive_range().least > 0);
}

TEST_CASE_METHOD(GlFixture, "a volume too large for the card is refused by name") {
  const Grid grid{{}, {1, 1, 1}, {1 << 20, 1, 1}};
  VolumeTexture texture;
  const Error error = test::thrown_error([&] { texture.reserve(grid); });
  CHECK(error.kind() == ErrorKind::resources);
  CHECK_THAT(error.what(), Catch::Matchers::ContainsSubstring("1048576") &&
                               Catch::Matchers::ContainsSubstring("`dims`"));
}

/// Returns the least and the greatest value in a brick and the cells around it.
std::pair<float, float> brick_range(const Volume& volume, glm::ivec3 brick) {
  const auto& dims = volume.grid().dims;
  std::pair<float, float> range{1e30F, -1e30F};
  const auto clamped = [&](int first, int step, std::size_t axis) {
    return std::clamp<std::int64_t>(first + step, 0, dims[axis] - 1);
  };
  for (int k = -1; k <= BrickGrid::kBrickCells; ++k)
    for (int j = -1; j <= BrickGrid::kBrickCells; ++j)
      for (int i = -1; i <= BrickGrid::kBrickCells; ++i) {
        const glm::ivec3 first = brick * BrickGrid::kBrickCells;
        const auto value = static_cast<float>(
            volume.at(clamped(first.x, i, 0), clamped(first.y, j, 1), clamped(first.z, k, 2)));
        range = {std::min(range.first, value), std::max(range.second, value)};
      }
  return range;
}

TEST_CASE_METHOD(GlFixture, "bricks hold the range that filtering can read in them") {
  const Volume volume = random_volume(kOddGrid);
  VolumeTexture texture;
  texture.upload(volume);
  BrickGrid bricks;
  bricks.update(texture);
  REQUIRE(bricks.bricks() == glm::ivec3(3, 2, 5));
  std::vector<std::pair<float, float>> ranges(30);
  glGetTextureImage(bricks.ranges().id(), 0, GL_RG, GL_FLOAT, 30 * 8, ranges.data());
  std::size_t next = 0;
  for (int k = 0; k < 5; ++k)
    for (int j = 0; j < 2; ++j)
      for (int i = 0; i < 3; ++i) {
        INFO("brick " << i << ' ' << j << ' ' << k);
        CHECK(ranges[next++] == brick_range(volume, {i, j, k}));
      }
  float least = 1e30F;
  for (const float value : volume.values<float>())
    if (value > 0) least = std::min(least, value);
  CHECK(bricks.positive_range() == PositiveRange{least, volume.maximum()});
}

TEST_CASE_METHOD(GlFixture, "a volume of zeros has no positive values") {
  VolumeTexture texture;
  texture.upload(Volume(kOddGrid, Precision::f32));
  BrickGrid bricks;
  bricks.update(texture);
  CHECK(bricks.positive_range() == PositiveRange{});
  const Histogram histogram = VolumeHistogram().count(texture, bricks.positive_range());
  CHECK(histogram.counts == std::array<std::uint64_t, Histogram::kBins>{});
}

TEST_CASE_METHOD(GlFixture, "the histogram counts as a loop over the cells does") {
  const Volume volume = random_volume({{}, {1, 1, 1}, {37, 50, 65}});
  VolumeTexture texture;
  texture.upload(volume);
  BrickGrid bricks;
  bricks.update(texture);
  const Histogram histogram = VolumeHistogram().count(texture, bricks.positive_range());
  const double peak = volume.maximum();
  float least = std::numeric_limits<float>::max();
  for (const float value : volume.values<float>())
    if (value > 0) least = std::min(least, value);
  CHECK(histogram.axis.high == peak);
  const double low = std::max(double{least}, 0x1p-32 * peak);
  CHECK(histogram.axis.low == Approx(low));

  std::array<std::int64_t, Histogram::kBins> expected{};
  std::int64_t all = 0;
  for (const float value : volume.values<float>()) {
    if (!(value >= static_cast<float>(low))) continue;
    const double share = std::log(value / low) / std::log(peak / low);
    ++expected[static_cast<std::size_t>(std::clamp(share * 4096, 0.0, 4095.0))];
    ++all;
  }
  REQUIRE(all > 50000);
  std::int64_t counted = 0, reached = 0, worst = 0;
  for (std::size_t bin = 0; bin < Histogram::kBins; ++bin) {
    counted += static_cast<std::int64_t>(histogram.counts[bin]);
    reached += expected[bin];
    worst = std::max(worst, std::abs(counted - reached));
  }
  CHECK(counted == all);
  CHECK(worst <= 12);  // of 200 cells a bin; rounding moves values across the edge of a bin
}

}  // namespace

#include "engines/cpu/overlap_blocks.hpp"

#include "support/catch.hpp"

#include <random>
#include <vector>

using namespace skde;

namespace {

using SliceSamples = std::vector<SliceSample<float>>;

Ellipsoid<float> ball(float radius) {
  Ellipsoid<float> ellipsoid{};
  ellipsoid.rx = ellipsoid.ry = radius;
  return ellipsoid;
}

SliceSample<float> at(int x, int y) { return {{x, y, 0}, {0, 0, 0}, 1}; }

/// Returns the largest number of samples of a block whose kernels, as boxes, reach the same cell.
std::size_t most_over_a_cell(std::span<const SliceSample<float>> block, int reach, int side) {
  const auto width = static_cast<std::size_t>(side);
  std::vector<std::size_t> over(width * width);
  std::size_t most = 0;
  for (const auto& s : block)
    for (int y = std::max(0, s.cell[1] - reach); y <= std::min(side - 1, s.cell[1] + reach); ++y)
      for (int x = std::max(0, s.cell[0] - reach); x <= std::min(side - 1, s.cell[0] + reach); ++x)
        most = std::max(most,
                        ++over[static_cast<std::size_t>(y) * width + static_cast<std::size_t>(x)]);
  return most;
}

}  // namespace

TEST_CASE("few samples are one block") {
  OverlapBlocks<float> blocks(ball(3), 40, 40);
  CHECK(blocks.next(SliceSamples(1000, at(5, 5))) == 1000);
  CHECK(blocks.next(SliceSamples()) == 0);
}

TEST_CASE("a pile is cut into blocks that floats can sum") {
  OverlapBlocks<float> blocks(ball(3), 40, 40);
  CHECK(blocks.next(SliceSamples(100000, at(5, 5))) == OverlapBlocks<float>::kMostInBin);
}

TEST_CASE("samples far apart do not cut each other's block") {
  OverlapBlocks<float> blocks(ball(2), 400, 400);
  SliceSamples samples;
  for (int i = 0; i < 10000; ++i) samples.push_back(at(i % 100 * 4, i / 100 * 4));
  CHECK(blocks.next(samples) == samples.size());
}

TEST_CASE("no cell is reached by more kernels of a block than promised") {
  std::mt19937 random(5);
  for (const int reach : {0, 2, 7, 30}) {
    INFO("reach " << reach);
    constexpr int kSide = 48;
    std::normal_distribution<float> normal(24, 9);
    SliceSamples samples;
    for (int i = 0; i < 6000; ++i)
      samples.push_back(at(static_cast<int>(normal(random)), static_cast<int>(normal(random))));
    OverlapBlocks<float> blocks(ball(static_cast<float>(reach)), kSide, kSide);
    std::span<const SliceSample<float>> left(samples);
    std::size_t cut = 0;
    while (!left.empty()) {
      const auto block = left.first(blocks.next(left));
      REQUIRE(!block.empty());
      CHECK(most_over_a_cell(block, reach, kSide) <= 4 * OverlapBlocks<float>::kMostInBin);
      left = left.subspan(block.size());
      ++cut;
    }
    CHECK(cut > 1);
  }
}

#include "order/arrangement_steps.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "core/cloud/counter_random.hpp"

namespace skde {
namespace {

constexpr double kFall = 0.95;
// With groups by masks and blocks down to 4 cells a side, so few passes reach what the published
// algorithm does with about 75 a radius (tests/order/published_arrangement.py).
constexpr int kPasses = 12, kLastPasses = 36;
constexpr std::uint32_t kLeastBlock = 4;

std::uint32_t below(Draws& draws, std::uint32_t limit) {
  return static_cast<std::uint32_t>(draws.uniform() * limit);
}

/// The bits of the largest power of two that is at most `most`.
std::uint32_t bits_within(std::uint32_t most) {
  return static_cast<std::uint32_t>(std::bit_width(most) - 1);
}

/// The bits of a block's side along `length` cells, at most `side`: blocks cover most of the
/// length.
std::uint32_t block_bits(std::uint32_t side, std::uint32_t length) {
  constexpr double kCovered = 0.7;
  std::uint32_t bits = bits_within(std::min(side, length));
  while (bits > 1 && (length >> bits << bits) < kCovered * length) --bits;
  return bits;
}

GroupPass group_pass(const GridItems& grid, const ArrangementStep& step, Draws draws) {
  GroupPass pass;
  pass.width = grid.width;
  pass.height = grid.height;
  pass.items = grid.items;
  const std::uint32_t side = std::max(2 * std::max(step.radius_x, step.radius_y) + 2, kLeastBlock);
  pass.column_bits = block_bits(side, grid.width);
  pass.row_bits = block_bits(side, grid.height);
  pass.blocks_across = grid.width >> pass.column_bits;
  pass.blocks_down = grid.height >> pass.row_bits;
  pass.first_x = below(draws, grid.width);
  pass.first_y = below(draws, grid.height);
  const std::uint32_t places = std::uint32_t{1} << (pass.column_bits + pass.row_bits);
  auto& [a, b] = pass.masks;
  a = 1 + below(draws, places - 1);
  do b = 1 + below(draws, places - 1);
  while (a == b);
  std::uint32_t of_a = bits_within(a);
  if ((b >> of_a & 1) != 0) b ^= a;  // the same groups
  const std::uint32_t of_b = bits_within(b);
  if ((a >> of_b & 1) != 0) a ^= b;
  pass.low = std::min(of_a, of_b);
  pass.high = std::max(of_a, of_b);
  return pass;
}

}  // namespace

std::vector<ArrangementStep> arrangement_steps(const GridItems& grid, std::uint64_t seed) {
  std::vector<ArrangementStep> steps;
  if (grid.items < 3) return steps;  // no other order of them has other neighbours
  const CounterRandom random(seed, 1);
  std::uint64_t drawn = 0;
  const std::uint32_t longer = std::max(grid.width, grid.height);
  double radius = std::max(1.0, longer / 2.0 - 1);
  while (radius >= 1) {
    ArrangementStep step;
    const auto whole = static_cast<std::uint32_t>(radius);
    step.radius_x = std::min(whole, (grid.width - 1) / 2);
    step.radius_y = std::min(whole, (grid.height - 1) / 2);
    radius *= kFall;
    const int passes = radius < 1 ? kLastPasses : kPasses;
    for (int i = 0; i < passes; ++i)
      step.passes.push_back(group_pass(grid, step, random.at(drawn++)));
    steps.push_back(std::move(step));
  }
  return steps;
}

}  // namespace skde

#include "support/references/comparison_reference.hpp"
#include "support/cells.hpp"

#include <algorithm>
#include <cmath>

namespace skde::test {
namespace {

/// Returns the cost of moving the masses of one row to those of another. The leftmost remaining
/// mass goes to the leftmost remaining room, which is the cheapest plan on a line.
double moved(std::vector<double> heaps, std::vector<double> rooms, double spacing) {
  double cost = 0;
  for (std::size_t from = 0, to = 0; from < heaps.size() && to < rooms.size();) {
    const double mass = std::min(heaps[from], rooms[to]);
    cost += mass * spacing * std::abs(static_cast<double>(from) - static_cast<double>(to));
    heaps[from] -= mass;
    rooms[to] -= mass;
    if (heaps[from] <= 0)
      ++from;
    else
      ++to;
  }
  return cost;
}

std::vector<double> marginal(const Volume& volume, int axis) {
  const auto& dims = volume.grid().dims;
  std::vector<double> sums(static_cast<std::size_t>(dims[static_cast<std::size_t>(axis)]));
  double all = 0;
  for (const auto& [i, j, k] : cells_of(dims)) {
    const std::array<std::int64_t, 3> cell{i, j, k};
    const double value = volume.at(i, j, k);
    sums[static_cast<std::size_t>(cell[static_cast<std::size_t>(axis)])] += value;
    all += value;
  }
  for (double& sum : sums) sum /= all;
  return sums;
}

}  // namespace

ComparisonReference compare_by_definition(const Volume& a, const Volume& b, bool normalize) {
  ComparisonReference found;
  const Vec3 step = a.grid().spacing;
  const double cell = step.x * step.y * step.z;
  const auto& dims = a.grid().dims;
  const auto each = [&](const auto& body) {
    for (const auto& [i, j, k] : cells_of(dims)) body(a.at(i, j, k), b.at(i, j, k));
  };
  each([&](double p, double q) {
    found.mass_a += p * cell;
    found.mass_b += q * cell;
  });
  double squares = 0, affinity = 0, all_p = 0, all_q = 0;
  each([&](double p, double q) {
    if (normalize) p /= found.mass_a, q /= found.mass_b;
    all_p += p * cell;
    all_q += q * cell;
    found.overlap += (p < q ? p : q) * cell;
    found.l1 += (p < q ? q - p : p - q) * cell;
    squares += (p - q) * (p - q) * cell;
    affinity += std::sqrt(p * q) * cell;
    if (q > 0 && p > 0) found.kl_a_from_b += p * (std::log(p) - std::log(q)) * cell;
    if (p > 0 && q > 0) found.kl_b_from_a += q * (std::log(q) - std::log(p)) * cell;
    if (q == 0) found.only_a += p * cell;
    if (p == 0) found.only_b += q * cell;
    const double m = (p + q) / 2;
    if (p > 0) found.jensen_shannon += p * (std::log(p) - std::log(m)) / 2 * cell;
    if (q > 0) found.jensen_shannon += q * (std::log(q) - std::log(m)) / 2 * cell;
  });
  found.l2 = std::sqrt(squares);
  found.hellinger = std::sqrt(std::max(0.0, (all_p + all_q) / 2 - affinity));
  for (int axis = 0; axis < 3; ++axis)
    found.earth_movers[static_cast<std::size_t>(axis)] =
        moved(marginal(a, axis), marginal(b, axis), step[axis]);
  return found;
}

double trilinear_by_definition(const Volume& volume, Vec3 world) {
  const Grid& grid = volume.grid();
  double value = 0;
  for (int corner = 0; corner < 8; ++corner) {
    std::array<std::int64_t, 3> cell{};
    double share = 1;
    for (int axis = 0; axis < 3; ++axis) {
      const auto cells = grid.dims[static_cast<std::size_t>(axis)];
      const double at = (world[axis] - grid.lower[axis]) / grid.spacing[axis] - 0.5;
      if (at < -0.5 || at > static_cast<double>(cells) - 0.5) return 0;
      const auto below = static_cast<std::int64_t>(std::floor(at));
      const bool upper = (corner >> axis & 1) != 0;
      const double beyond = at - static_cast<double>(below);
      share *= upper ? beyond : 1 - beyond;
      cell[static_cast<std::size_t>(axis)] =
          std::clamp<std::int64_t>(below + (upper ? 1 : 0), 0, cells - 1);
    }
    value += share * volume.at(cell[0], cell[1], cell[2]);
  }
  return value;
}

}  // namespace skde::test

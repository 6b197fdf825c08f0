#include "analysis/mass_levels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/error.hpp"

namespace skde {
namespace {

/// The values from the highest to the lowest.
template <class Real>
std::vector<Real> descending(std::span<const Real> values) {
  const auto bad = std::ranges::find_if(
      values, [](Real value) { return !(value >= 0) || !std::isfinite(value); });
  if (bad != values.end())
    throw Error(ErrorKind::input, fmt::format("a value of {} is no density: they are finite and "
                                              "not below 0",
                                              *bad));
  std::vector<Real> sorted(values.begin(), values.end());
  std::ranges::sort(sorted, std::greater<>{});
  return sorted;
}

void require_masses(std::span<const double> masses) {
  for (const double mass : masses)
    if (!(mass > 0 && mass < 1))
      throw Error(ErrorKind::usage, fmt::format("a mass of {} is not between 0 and 1", mass),
                  {"mass", "give shares of the whole mass, such as 0.5,0.95"});
}

}  // namespace

std::vector<MassLevel> mass_levels(const Volume& volume, std::span<const double> masses,
                                   double whole) {
  require_masses(masses);
  std::vector<std::size_t> order(masses.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](std::size_t i) { return masses[i]; });
  std::vector<MassLevel> levels(masses.size());
  const double cell = volume.grid().cell_volume();
  std::visit(
      [&](auto values) {
        const auto sorted = descending(values);
        double held = 0;
        std::size_t cells = 0;
        for (const std::size_t i : order) {
          while (cells < sorted.size() && held < masses[i] * whole)
            held += static_cast<double>(sorted[cells++]) * cell;
          if (held < masses[i] * whole)
            throw Error(ErrorKind::input,
                        fmt::format("the box holds {:.6g} of the mass, less than {}", held / whole,
                                    masses[i]),
                        {"mass", "ask for less, or estimate the density in a larger box"});
          levels[i] = {masses[i], static_cast<double>(sorted[cells - 1]),
                       static_cast<double>(cells) * cell, held / whole};
        }
      },
      volume.value_span());
  return levels;
}

}  // namespace skde

#include "analysis/density_mass.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "core/report/error.hpp"

namespace skde {
namespace {

/// Approximations may leave values below 0 by up to this share of the peak.
constexpr double kLeastSlack = 0.01;

/// Sums row by row, so that large volumes keep their digits and every machine gives the same bits.
template <class Real>
DensityMass sum_of(std::span<const Real> values, std::size_t row) {
  DensityMass mass;
  double sum = 0;
  for (std::size_t begin = 0; begin < values.size(); begin += row) {
    double of_row = 0;
    for (const Real value : values.subspan(begin, row)) {
      const auto number = static_cast<double>(value);
      if (!std::isfinite(number))
        throw Error(ErrorKind::input, fmt::format("a value of {} cannot be a density", number),
                    {{}, "check the program that wrote it"});
      mass.least = std::min(mass.least, number);
      mass.peak = std::max(mass.peak, number);
      if (number > 0)
        of_row += number;
      else
        mass.negatives += number < 0 ? 1 : 0;
    }
    sum += of_row;
  }
  mass.cells = sum;
  return mass;
}

void require_mass(const DensityMass& mass, double error_bound) {
  if (!(mass.peak > 0))
    throw Error(ErrorKind::input, "all values are 0, so the box holds no mass",
                {"bounds", "estimate the density in a box that holds samples, with `bounds`"});
  if (-mass.least > std::max(kLeastSlack, error_bound) * mass.peak)
    throw Error(ErrorKind::input,
                fmt::format("a value of {:.6g} beside a peak of {:.6g} cannot be a density",
                            mass.least, mass.peak),
                {"tolerance", "estimate it with a smaller `tolerance`"});
}

}  // namespace

DensityMass density_mass(const Volume& volume, const DensityMetadata& metadata) {
  require_density(metadata);
  const auto row = static_cast<std::size_t>(volume.grid().dims[0]);
  DensityMass mass =
      std::visit([&](auto values) { return sum_of(values, row); }, volume.value_span());
  require_mass(mass, metadata.error_bound);
  mass.cells *= volume.grid().cell_volume();
  mass.inside = mass.whole = mass.cells;
  if (metadata.samples == 0) return mass;
  mass.whole_known = true;
  if (metadata.normalization == Normalization::density)
    mass.whole = 1;
  else if (metadata.normalization == Normalization::count)
    mass.whole = metadata.total_weight;
  else if (metadata.mass_in_box > 0)
    mass.whole = 1 / metadata.mass_in_box;
  mass.inside_told = metadata.mass_in_box > 0;
  if (mass.inside_told) mass.inside = metadata.mass_in_box * mass.whole;
  return mass;
}

}  // namespace skde

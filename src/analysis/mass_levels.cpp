#include "analysis/mass_levels.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <type_traits>

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

constexpr int kDigitBits = 16;
constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;
constexpr std::size_t kMassesAtOnce = 16;  // their tables take 16 MiB

void require_masses(std::span<const double> masses) {
  for (const double mass : masses)
    if (!(mass > 0 && mass < 1))
      throw Error(ErrorKind::usage, fmt::format("a mass must be between 0 and 1; got {}", mass),
                  {"mass", "give shares of the total mass, such as `mass=0.5,0.95`"});
}

/// Values of at least 0 sort like their bits. A table covers the values with a common prefix and
/// counts them by their next 16 bits.
template <class Key>
struct Table {
  Key prefix = 0;
  std::vector<std::uint64_t> cells = std::vector<std::uint64_t>(kDigits);
  std::vector<double> sums = std::vector<double>(kDigits);
};

/// The state of the search for one level: the prefix of its bits, and what is known to lie above.
template <class Key>
struct Search {
  double target = 0;  ///< sum of values to reach
  Key prefix = 0;
  double above = 0;
  std::uint64_t cells_above = 0;

  /// Goes down the digits until the target is reached, or to the lowest value above 0.
  void descend(const Table<Key>& table) {
    std::size_t last = 0;
    for (std::size_t digit = kDigits; digit-- > 0;) {
      if (!(table.sums[digit] > 0)) continue;
      if (last > 0) {
        above += table.sums[last];
        cells_above += table.cells[last];
      }
      last = digit;
      if (above + table.sums[last] >= target) break;
    }
    prefix = static_cast<Key>((prefix << kDigitBits) | last);
  }
};

template <class Real>
class CellLevelSearch {
  using Key = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;
  static constexpr int kKeyBits = std::numeric_limits<Key>::digits;

 public:
  CellLevelSearch(std::span<const Real> values, std::size_t slice, Progress& progress)
      : values_(values), slice_(slice), progress_(progress) {}

  /// Returns the levels for sums of values, at most kMassesAtOnce of them.
  std::vector<MassLevel> find(std::span<const double> targets) {
    std::vector<Search<Key>> searches(targets.size());
    for (std::size_t i = 0; i < targets.size(); ++i) searches[i].target = targets[i];
    for (int shift = kKeyBits - kDigitBits; shift >= 0; shift -= kDigitBits)
      narrow(searches, shift);
    std::vector<MassLevel> levels;
    levels.reserve(searches.size());
    for (const Search<Key>& search : searches) {
      const auto level = static_cast<double>(std::bit_cast<Real>(search.prefix));
      const auto equal = static_cast<double>(last_count(search));
      const double taken = std::clamp(std::ceil((search.target - search.above) / level), 1., equal);
      levels.push_back({0, level, static_cast<double>(search.cells_above) + taken,
                        search.above + taken * level});
    }
    return levels;
  }

 private:
  void narrow(std::vector<Search<Key>>& searches, int shift) {
    tables_.clear();
    for (const Search<Key>& search : searches)
      if (std::ranges::find(tables_, search.prefix, &Table<Key>::prefix) == tables_.end())
        tables_.push_back({search.prefix});
    count(shift);
    for (Search<Key>& search : searches)
      search.descend(*std::ranges::find(tables_, search.prefix, &Table<Key>::prefix));
  }

  void count(int shift) {
    progress_.begin("counting values", values_.size(), "cells");
    for (std::size_t begin = 0; begin < values_.size(); begin += slice_) {
      progress_.throw_if_cancelled();
      for (const Real value : values_.subspan(begin, std::min(slice_, values_.size() - begin))) {
        if (!std::isfinite(value))
          throw Error(ErrorKind::input, fmt::format("a value of {} cannot be a density", value),
                      {{}, "check the program that wrote it"});
        const Key key = value > 0 ? std::bit_cast<Key>(value) : Key{0};
        const Key digits = static_cast<Key>(key >> shift);
        for (Table<Key>& table : tables_) {
          if (static_cast<Key>(digits >> kDigitBits) != table.prefix) continue;
          const auto digit = static_cast<std::size_t>(digits % kDigits);
          ++table.cells[digit];
          table.sums[digit] += value > 0 ? static_cast<double>(value) : 0;
          break;
        }
      }
      progress_.update(begin + slice_);
    }
  }

  /// Returns how many values equal the level.
  std::uint64_t last_count(const Search<Key>& search) const {
    const auto prefix = static_cast<Key>(search.prefix >> kDigitBits);
    return std::ranges::find(tables_, prefix, &Table<Key>::prefix)->cells[search.prefix % kDigits];
  }

  std::span<const Real> values_;
  std::size_t slice_;
  Progress& progress_;
  std::vector<Table<Key>> tables_;
};

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

std::vector<MassLevel> mass_levels(const Volume& volume, std::span<const double> masses,
                                   double whole, Progress& progress) {
  require_masses(masses);
  const double cell = volume.grid().cell_volume();
  const auto slice = static_cast<std::size_t>(volume.grid().dims[0] * volume.grid().dims[1]);
  std::vector<MassLevel> levels;
  levels.reserve(masses.size());
  std::visit(
      [&]<class Real>(std::span<const Real> values) {
        CellLevelSearch<Real> search(values, slice, progress);
        for (std::size_t first = 0; first < masses.size(); first += kMassesAtOnce) {
          const auto some = masses.subspan(first, std::min(kMassesAtOnce, masses.size() - first));
          std::vector<double> targets(some.begin(), some.end());
          for (double& target : targets) target *= whole / cell;
          const std::vector<MassLevel> found = search.find(targets);
          levels.insert(levels.end(), found.begin(), found.end());
        }
      },
      volume.value_span());
  constexpr double kRounding = 1e-12;  // of sums in another order
  for (std::size_t i = 0; i < masses.size(); ++i) {
    MassLevel& level = levels[i];
    level.mass = masses[i];
    level.held *= cell / whole;
    level.volume *= cell;
    if (level.held < level.mass * (1 - kRounding))
      throw Error(
          ErrorKind::input,
          fmt::format("the cells of the box hold {:.6g} of the mass, less than {}", level.held,
                      level.mass),
          {"mass",
           "give a smaller mass, or estimate the density in a larger box or with more `dims`"});
  }
  return levels;
}

double mass_within_deviations(double deviations) {
  return std::erf(deviations / std::numbers::sqrt2) -
         deviations * std::sqrt(2 / std::numbers::pi) * std::exp(-0.5 * deviations * deviations);
}

MassAbove::MassAbove(const Volume& volume, double whole)
    : cell_share_(volume.grid().cell_volume() / whole) {
  std::visit(
      [&](auto values) {
        for (const auto value : values) {
          if (!std::isfinite(value))
            throw Error(ErrorKind::input, fmt::format("a value of {} cannot be a density", value),
                        {{}, "check the program that wrote it"});
          if (value > 0) values_.push_back(static_cast<double>(value));
        }
      },
      volume.value_span());
  std::ranges::sort(values_, std::greater{});
  double sum = 0;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (i % kStride == 0) sums_.push_back(sum);
    sum += values_[i];
  }
}

double MassAbove::at(double density) const {
  if (!(density > 0)) return 1;
  const auto end = std::ranges::upper_bound(values_, density, std::greater{});
  const auto count = static_cast<std::size_t>(end - values_.begin());
  if (count == 0) return 0;
  const std::size_t block = (count - 1) / kStride;
  double sum = sums_[block];
  for (std::size_t i = block * kStride; i < count; ++i) sum += values_[i];
  return std::min(sum * cell_share_, 1.0);
}

Volume mass_above(const Volume& volume, double whole) {
  const MassAbove above(volume, whole);
  Volume shares = volume;
  std::visit(
      [&]<class Real>(std::span<const Real> densities) {
        const std::span<Real> to = shares.values<Real>();
#pragma omp parallel for schedule(static)
        for (std::size_t cell = 0; cell < densities.size(); ++cell)
          to[cell] = static_cast<Real>(above.at(static_cast<double>(densities[cell])));
      },
      volume.value_span());
  return shares;
}

}  // namespace skde

#include "analysis/comparison_volumes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "core/report/error.hpp"

namespace skde {
namespace {

/// The two cells around a centre along an axis, and their shares; both shares are 0 outside the
/// box.
struct Between {
  std::int64_t first = 0, second = 0;
  double share_first = 0, share_second = 0;

  bool is_inside() const { return share_first + share_second > 0; }
};

std::vector<Between> places_along(int axis, const Grid& from, const Grid& to) {
  const auto i = static_cast<std::size_t>(axis);
  const Box box = from.bounds();
  std::vector<Between> places(static_cast<std::size_t>(to.dims[i]));
  for (std::size_t cell = 0; cell < places.size(); ++cell) {
    const double world = to.first_centre()[axis] + static_cast<double>(cell) * to.spacing[axis];
    if (world < box.lower[axis] || world > box.upper[axis]) continue;
    const double last = static_cast<double>(from.dims[i] - 1);
    const double at =
        std::clamp((world - from.first_centre()[axis]) / from.spacing[axis], 0.0, last);
    const double below = std::floor(at);
    const auto first = static_cast<std::int64_t>(below);
    places[cell] = {first, std::min(first + 1, from.dims[i] - 1), 1 - (at - below), at - below};
  }
  return places;
}

using Places = std::array<std::vector<Between>, 3>;

/// Interpolates one row at a place (y, z) from the four rows around it.
template <class Real>
void fill_row(std::span<const Real> values, const Grid& from, const Places& places,
              const Between& y, const Between& z, std::span<Real> row) {
  const auto at = [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    return static_cast<double>(
        values[static_cast<std::size_t>((k * from.dims[1] + j) * from.dims[0] + i)]);
  };
  for (std::size_t cell = 0; cell < row.size(); ++cell) {
    const Between& x = places[0][cell];
    if (!x.is_inside()) continue;
    const auto along_x = [&](std::int64_t j, std::int64_t k) {
      return x.share_first * at(x.first, j, k) + x.share_second * at(x.second, j, k);
    };
    const auto along_y = [&](std::int64_t k) {
      return y.share_first * along_x(y.first, k) + y.share_second * along_x(y.second, k);
    };
    row[cell] =
        static_cast<Real>(z.share_first * along_y(z.first) + z.share_second * along_y(z.second));
  }
}

template <class Real>
void fill(std::span<const Real> values, const Grid& from, const Places& places, Volume& to) {
  const std::span<Real> all = to.values<Real>();
  const Grid& grid = to.grid();
  const auto width = static_cast<std::size_t>(grid.dims[0]);
  const std::int64_t rows = grid.dims[1] * grid.dims[2];
#pragma omp parallel for schedule(static)
  for (std::int64_t index = 0; index < rows; ++index) {
    const Between& y = places[1][static_cast<std::size_t>(index % grid.dims[1])];
    const Between& z = places[2][static_cast<std::size_t>(index / grid.dims[1])];
    if (!y.is_inside() || !z.is_inside()) continue;
    fill_row(values, from, places, y, z,
             all.subspan(static_cast<std::size_t>(index) * width, width));
  }
}

/// Returns the range of cells along an axis whose centres lie in a box: [first, second).
std::array<std::int64_t, 2> cells_inside(int axis, const Grid& grid, const Box& box) {
  const auto i = static_cast<std::size_t>(axis);
  std::array<std::int64_t, 2> range{grid.dims[i], grid.dims[i]};
  for (std::int64_t cell = 0; cell < grid.dims[i]; ++cell) {
    const double centre =
        grid.first_centre()[axis] + static_cast<double>(cell) * grid.spacing[axis];
    if (centre < box.lower[axis] || centre > box.upper[axis]) continue;
    range[0] = std::min(range[0], cell);
    range[1] = cell + 1;
  }
  return range;
}

double mass_within(const Volume& volume, const Box& box) {
  const Grid& grid = volume.grid();
  std::array<std::array<std::int64_t, 2>, 3> range{};
  for (int axis = 0; axis < 3; ++axis)
    range[static_cast<std::size_t>(axis)] = cells_inside(axis, grid, box);
  double sum = 0;
  std::visit(
      [&](auto values) {
        for (std::int64_t z = range[2][0]; z < range[2][1]; ++z)
          for (std::int64_t y = range[1][0]; y < range[1][1]; ++y) {
            const std::int64_t row = (z * grid.dims[1] + y) * grid.dims[0];
            double part = 0;
            for (std::int64_t x = range[0][0]; x < range[0][1]; ++x)
              part += static_cast<double>(values[static_cast<std::size_t>(row + x)]);
            sum += part;
          }
      },
      volume.value_span());
  return sum * grid.cell_volume();
}

void require_floor(const RatioSpec& spec) {
  if (!(spec.floor >= 0 && spec.floor < 1))
    throw Error(
        ErrorKind::usage,
        fmt::format("the floor must be a share of the peak, from 0 to below 1; got {}", spec.floor),
        {"floor", {}});
  if (spec.logarithm && spec.floor == 0)
    throw Error(ErrorKind::usage,
                "a logarithm of ratios needs a floor, because the logarithm of 0 is infinite",
                {"floor", "give a share of the peak, such as `floor=1e-3`"});
}

}  // namespace

ResampledDensity resampled_onto(const Volume& source, const Grid& grid, const std::string& name) {
  Places places;
  for (int axis = 0; axis < 3; ++axis) {
    auto& along = places[static_cast<std::size_t>(axis)];
    along = places_along(axis, source.grid(), grid);
    if (std::ranges::none_of(along, &Between::is_inside))
      throw Error(
          ErrorKind::input,
          name + ": its box holds no cell centre of the other grid, so there is nothing to compare",
          {{}, "compare volumes whose boxes overlap"});
  }
  ResampledDensity result{Volume(grid, source.precision()), source.mass(), 0,
                          mass_within(source, grid.bounds())};
  std::visit([&](auto values) { fill(values, source.grid(), places, result.volume); },
             source.value_span());
  result.mass_after = result.volume.mass();
  return result;
}

DensityRatio::DensityRatio(const Volume& a, const Volume& b, const RatioSpec& spec)
    : a_(a), b_(b), spec_(spec) {
  require_floor(spec);
  if (spec.normalize) {
    scale_a_ = 1 / a.mass();
    scale_b_ = 1 / b.mass();
  }
  floor_ = spec.floor * scale_b_ * b.maximum();
}

Volume DensityRatio::slices(std::int64_t z, std::int64_t slices) const {
  const Grid slab = slab_of(a_.grid(), z, slices);
  const std::int64_t first = z * slab.dims[0] * slab.dims[1], cells = slab.cells();
  Volume ratios(slab, a_.precision());
  std::visit(
      [&](auto a, auto b) {
        using Real = std::remove_const_t<typename decltype(a)::element_type>;
        const std::span<Real> to = ratios.values<Real>();
#pragma omp parallel for schedule(static)
        for (std::int64_t i = 0; i < cells; ++i) {
          const auto from = static_cast<std::size_t>(first + i);
          const double over = std::max(scale_b_ * static_cast<double>(b[from]), floor_);
          double value = scale_a_ * static_cast<double>(a[from]);
          if (spec_.logarithm)
            value = std::log(std::max(value, floor_) / over);
          else
            value = value > 0 ? value / over : 0;  // without a floor, 0 / 0 counts as 0
          to[static_cast<std::size_t>(i)] = static_cast<Real>(value);
        }
      },
      a_.value_span(), b_.value_span());
  return ratios;
}

std::int64_t DensityRatio::floored_cells() const {
  return std::visit(
      [&](auto b) {
        return static_cast<std::int64_t>(std::ranges::count_if(
            b, [&](auto value) { return scale_b_ * static_cast<double>(value) < floor_; }));
      },
      b_.value_span());
}

}  // namespace skde

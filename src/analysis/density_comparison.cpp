#include "analysis/density_comparison.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "analysis/mass_levels.hpp"

namespace skde {
namespace {

/// Largest number of blocks of slices. Their sums are added in order, so that the bits do not
/// depend on the number of threads.
constexpr std::int64_t kMostBlocks = 64;

/// The sums over a row, a slice or a block. Each level adds up the level below, so that rounding
/// grows with the cells along the axes and not with all cells of the volume.
struct Sums {
  double least = 0, l1 = 0, l2 = 0, hellinger = 0;
  double a_from_b = 0, b_from_a = 0, undefined_a = 0, undefined_b = 0, jensen_shannon = 0;
  double largest = 0;

  void add(double a, double b) {
    const double apart = std::abs(a - b), roots = std::sqrt(a) - std::sqrt(b);
    least += std::min(a, b);
    l1 += apart;
    l2 += apart * apart;
    hellinger += roots * roots;
    largest = std::max(largest, apart);
    const double mean = 0.5 * (a + b);
    if (a > 0) jensen_shannon += 0.5 * a * std::log(a / mean);
    if (b > 0) jensen_shannon += 0.5 * b * std::log(b / mean);
    if (a > 0 && b > 0) {
      const double ratio = std::log(a / b);
      a_from_b += a * ratio;
      b_from_a -= b * ratio;
    } else {
      undefined_a += a;
      undefined_b += b;
    }
  }
  void add(const Sums& other) {
    least += other.least;
    l1 += other.l1;
    l2 += other.l2;
    hellinger += other.hellinger;
    a_from_b += other.a_from_b;
    b_from_a += other.b_from_a;
    undefined_a += other.undefined_a;
    undefined_b += other.undefined_b;
    jensen_shannon += other.jensen_shannon;
    largest = std::max(largest, other.largest);
  }
};

/// The sum of a volume's cells, and their sums along each axis.
struct Weighed {
  double sum = 0;
  std::array<std::vector<double>, 3> marginals;
  bool is_density = true;  ///< all values are finite and at least 0
};

/// Calls body(block, z) for every slice: blocks in parallel, slices within a block in order.
template <class Body>
void for_each_slice(std::int64_t slices, const Body& body) {
  const std::int64_t blocks = std::min(slices, kMostBlocks);
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t block = 0; block < blocks; ++block)
    for (std::int64_t z = block * slices / blocks; z < (block + 1) * slices / blocks; ++z)
      body(static_cast<std::size_t>(block), z);
}

template <class Real>
Weighed weigh(std::span<const Real> values, const Grid& grid) {
  const auto [nx, ny, nz] = grid.dims;
  const auto width = static_cast<std::size_t>(nx), height = static_cast<std::size_t>(ny);
  const auto blocks = static_cast<std::size_t>(std::min(nz, kMostBlocks));
  std::vector<std::vector<double>> along_x(blocks, std::vector<double>(width)),
      along_y(blocks, std::vector<double>(height));
  Weighed result;
  result.marginals[2].resize(static_cast<std::size_t>(nz));
  std::vector<char> good(blocks, 1);
  for_each_slice(nz, [&](std::size_t block, std::int64_t z) {
    double slice = 0;
    for (std::size_t y = 0; y < height; ++y) {
      const auto row = values.subspan((static_cast<std::size_t>(z) * height + y) * width, width);
      double sum = 0;
      for (std::size_t x = 0; x < width; ++x) {
        const auto value = static_cast<double>(row[x]);
        if (!(value >= 0) || !std::isfinite(value)) good[block] = 0;
        along_x[block][x] += value;
        sum += value;
      }
      along_y[block][y] += sum;
      slice += sum;
    }
    result.marginals[2][static_cast<std::size_t>(z)] = slice;
  });
  result.marginals[0].resize(width);
  result.marginals[1].resize(height);
  for (std::size_t block = 0; block < blocks; ++block) {
    for (std::size_t x = 0; x < width; ++x) result.marginals[0][x] += along_x[block][x];
    for (std::size_t y = 0; y < height; ++y) result.marginals[1][y] += along_y[block][y];
    result.is_density = result.is_density && good[block] != 0;
  }
  for (const double slice : result.marginals[2]) result.sum += slice;
  return result;
}

Weighed weigh(const ComparedDensity& density) {
  const Volume& volume = density.volume;
  Weighed result =
      std::visit([&](auto values) { return weigh(values, volume.grid()); }, volume.value_span());
  if (!result.is_density)
    throw Error(
        ErrorKind::input,
        density.name + ": has values that are negative or not finite, so it is not a density");
  if (!(result.sum > 0))
    throw Error(ErrorKind::input, density.name + ": is 0 everywhere, so it is not a density");
  return result;
}

template <class RealA, class RealB>
Sums compare_values(std::span<const RealA> a, std::span<const RealB> b, double scale_a,
                    double scale_b, const Grid& grid) {
  const auto [nx, ny, nz] = grid.dims;
  const auto width = static_cast<std::size_t>(nx), height = static_cast<std::size_t>(ny);
  std::vector<Sums> blocks(static_cast<std::size_t>(std::min(nz, kMostBlocks)));
  for_each_slice(nz, [&](std::size_t block, std::int64_t z) {
    Sums slice;
    for (std::size_t y = 0; y < height; ++y) {
      const std::size_t first = (static_cast<std::size_t>(z) * height + y) * width;
      Sums row;
      for (std::size_t i = first; i < first + width; ++i)
        row.add(scale_a * static_cast<double>(a[i]), scale_b * static_cast<double>(b[i]));
      slice.add(row);
    }
    blocks[block].add(slice);
  });
  Sums all;
  for (const Sums& block : blocks) all.add(block);
  return all;
}

/// Fills in the overlap of regions.
void find_overlaps(const Volume& a, const Volume& b, DensityComparison& result) {
  std::vector<double> masses;
  for (const RegionOverlap& region : result.regions) masses.push_back(region.mass);
  const auto of_a = mass_levels(a, masses, result.mass_a),
             of_b = mass_levels(b, masses, result.mass_b);
  const double cell = a.grid().cell_volume(), unit = 1 / (result.mass_a * result.mass_b);
  for (std::size_t k = 0; k < result.regions.size(); ++k) {
    const auto [product, both, in_a, in_b] = std::visit(
        [&](auto left, auto right) {
          std::array<double, 4> sums{};
          for (std::size_t i = 0; i < left.size(); ++i) {
            const auto first = static_cast<double>(left[i]), second = static_cast<double>(right[i]);
            const bool is_in_a = first >= of_a[k].level, is_in_b = second >= of_b[k].level;
            sums[0] += is_in_a && is_in_b ? first * second : 0;
            sums[1] += is_in_a && is_in_b ? 1 : 0;
            sums[2] += is_in_a ? 1 : 0;
            sums[3] += is_in_b ? 1 : 0;
          }
          return sums;
        },
        a.value_span(), b.value_span());
    RegionOverlap& region = result.regions[k];
    region.volume = both * cell;
    region.share_a = both / in_a;
    region.share_b = both / in_b;
    result.udoi = region.volume * product * cell * unit;  // of the last region, of 95 %
  }
}

/// Returns the integral of the absolute difference of two cumulative sums, each scaled to mass 1.
double earth_movers(const std::vector<double>& a, const std::vector<double>& b, double sum_a,
                    double sum_b, double spacing) {
  double moved = 0, carried = 0;
  for (std::size_t i = 0; i + 1 < a.size(); ++i) {
    carried += a[i] / sum_a - b[i] / sum_b;
    moved += std::abs(carried);
  }
  return moved * spacing;
}

}  // namespace

bool have_same_cells(const Grid& a, const Grid& b) {
  constexpr double kMostOff = 1e-5;  // of a cell
  if (a.dims != b.dims) return false;
  const Box box_a = a.bounds(), box_b = b.bounds();
  for (int axis = 0; axis < 3; ++axis)
    if (std::abs(box_a.lower[axis] - box_b.lower[axis]) > kMostOff * a.spacing[axis] ||
        std::abs(box_a.upper[axis] - box_b.upper[axis]) > kMostOff * a.spacing[axis])
      return false;
  return true;
}

DensityComparison compare_densities(const ComparedDensity& a, const ComparedDensity& b,
                                    bool normalize) {
  const Grid& grid = a.volume.grid();
  if (!have_same_cells(grid, b.volume.grid()))
    throw Error(
        ErrorKind::input,
        fmt::format("{} and {} have different grids, so their cells cannot be compared", a.name,
                    b.name),
        {"resample", "resample one to the grid of the other with `resample=A` or `resample=B`"});
  const double cell = grid.cell_volume();
  const Weighed weighed_a = weigh(a), weighed_b = weigh(b);
  DensityComparison result;
  result.mass_a = weighed_a.sum * cell;
  result.mass_b = weighed_b.sum * cell;
  result.normalized = normalize;
  const double scale_a = normalize ? 1 / result.mass_a : 1,
               scale_b = normalize ? 1 / result.mass_b : 1;
  const Sums sums = std::visit(
      [&](auto left, auto right) { return compare_values(left, right, scale_a, scale_b, grid); },
      a.volume.value_span(), b.volume.value_span());
  result.overlap = sums.least * cell;
  result.l1 = sums.l1 * cell;
  result.l2 = std::sqrt(sums.l2 * cell);
  result.largest = sums.largest;
  result.hellinger = std::sqrt(0.5 * sums.hellinger * cell);
  result.a_from_b = {sums.a_from_b * cell, sums.undefined_a * cell};
  result.b_from_a = {sums.b_from_a * cell, sums.undefined_b * cell};
  result.jensen_shannon = sums.jensen_shannon * cell;
  find_overlaps(a.volume, b.volume, result);
  for (int axis = 0; axis < 3; ++axis) {
    const auto i = static_cast<std::size_t>(axis);
    result.earth_movers[i] = earth_movers(weighed_a.marginals[i], weighed_b.marginals[i],
                                          weighed_a.sum, weighed_b.sum, grid.spacing[axis]);
  }
  return result;
}

std::vector<Warning> comparison_warnings(const DensityComparison& comparison) {
  constexpr double kMostApart = 0.01;  // of the larger mass
  const auto [a, b] = std::pair(comparison.mass_a, comparison.mass_b);
  if (comparison.normalized || std::abs(a - b) <= kMostApart * std::max(a, b)) return {};
  return {{"masses",
           fmt::format("the masses are {:.6g} and {:.6g}: the comparison includes their "
                       "difference, not only the shapes",
                       a, b),
           {"normalize", "compare the shapes only with `normalize`"}}};
}

namespace {

/// Returns the mean square of the slope of a kernel along an axis over that of its values, for
/// H = 1: how rough a density of samples is (1/2 for the Gaussian).
double slope_share(const Kernel& kernel) {
  constexpr int kSteps = 4000;
  const double step = kernel.cut() / kSteps;
  const auto& profile = kernel.function->profile;
  double slopes = 0, values = 0;
  for (int i = 0; i < kSteps; ++i) {
    const double from = i * step, to = from + step, r = 0.5 * (from + to);
    const double slope = (profile(to * to) - profile(from * from)) / step, value = profile(r * r);
    slopes += slope * slope * r * r / 3;
    values += value * value * r * r;
  }
  return slopes / values;
}

double beyond(double z) { return 0.5 * std::erfc(z / std::numbers::sqrt2); }

/// Returns the z from `least` on at which a falling function is `chance`.
template <class Function>
double where_falls_to(double chance, double least, const Function& function) {
  double low = least, high = 100;
  for (int step = 0; step < 60; ++step) {
    const double middle = 0.5 * (low + high);
    (function(middle) > chance ? low : high) = middle;
  }
  return high;
}

/// Returns the z that a field as smooth as a density of these kernels exceeds in a box with the
/// probability `chance`: its expected Euler characteristic.
double smooth_threshold(const Kernel& kernel, const Box& box, double chance) {
  constexpr double kTurn = 2 * std::numbers::pi;
  const double share = slope_share(kernel);
  const Vec3 widths = kernel.conditional_widths(), sides = box.extent();
  // Lengths over the widths of the kernel are those of the field's unit of roughness.
  const double x = sides.x / widths.x, y = sides.y / widths.y, z = sides.z / widths.z;
  const double volume =
      sides.x * sides.y * sides.z * kernel.amplitude() / kernel.function->constant;
  return where_falls_to(chance, 1, [&](double at) {
    const double fall = std::exp(-at * at / 2);
    return beyond(at) + std::sqrt(share) * (x + y + z) * fall / kTurn +
           share * (x * y + y * z + z * x) * at * fall / std::pow(kTurn, 1.5) +
           std::pow(share, 1.5) * volume * (at * at - 1) * fall / (kTurn * kTurn);
  });
}

/// Returns the |z| that no cell of the box reaches, except with the probability `level`.
double threshold_of(const SureDensity& a, const SureDensity& b, double level) {
  const Grid& grid = a.density.grid();
  const auto cells = static_cast<double>(grid.cells());
  const double of_cells =
      where_falls_to(level / 2, 0, [&](double at) { return cells * beyond(at); });
  if (!a.kernel || !b.kernel) return of_cells;
  return std::min(of_cells, std::max(smooth_threshold(*a.kernel, grid.bounds(), level / 2),
                                     smooth_threshold(*b.kernel, grid.bounds(), level / 2)));
}

/// Returns the integral of a kernel squared.
double roughness(const Kernel& kernel) {
  return kernel.function->roughness * kernel.amplitude() / kernel.function->constant;
}

/// The differences of two densities in units of their standard error if they are equal.
struct EqualDensities {
  double samples_a, samples_b;  ///< n_eff
  double unit_a, unit_b;        ///< what the values integrate to
  double rougher;               ///< roughness of B's kernel over that of A's

  double score(double a, double b, double error_a, double error_b) const {
    if (!(error_a > 0 || error_b > 0)) return 0;  // such as noise where no kernel reaches
    // Means of squared kernels, as A's kernel has them, and of kernels, over both samples.
    const double of_a = samples_a / unit_a, of_b = samples_b / unit_b, all = of_a + of_b;
    const double squares_a = (samples_a * error_a * error_a + a * a) / unit_a,
                 squares_b = (samples_b * error_b * error_b + b * b) / (unit_b * rougher);
    const double squares = (of_a * squares_a + of_b * squares_b) / all,
                 mean = (of_a * a + of_b * b) / all;
    const double variance =
        squares * (1 / of_a + rougher / of_b) - mean * mean * (1 / samples_a + 1 / samples_b);
    return variance > 0 ? (a - b) / std::sqrt(variance) : 0;
  }
};

void add_to(DensitySignificance& to, const DensitySignificance& more) {
  for (const auto region : {&DensitySignificance::a_denser, &DensitySignificance::b_denser}) {
    (to.*region).volume += (more.*region).volume;
    (to.*region).mass_a += (more.*region).mass_a;
    (to.*region).mass_b += (more.*region).mass_b;
  }
  if (std::abs(more.largest) <= std::abs(to.largest)) return;
  to.largest = more.largest;
  to.place = more.place;
}

}  // namespace

std::pair<Volume, DensitySignificance> density_significance(const SureDensity& a,
                                                            const SureDensity& b, bool normalize,
                                                            double level) {
  if (!(a.samples > 0 && b.samples > 0))
    throw Error(ErrorKind::input, "a volume does not say how many samples it was made of",
                {"significance", "compare volumes of 'skde density'"});
  const Grid& grid = a.density.grid();
  const double scale_a = normalize ? 1 / a.density.mass() : 1,
               scale_b = normalize ? 1 / b.density.mass() : 1, cell = grid.cell_volume();
  const EqualDensities equal{
      a.samples, b.samples, scale_a * a.unit, scale_b * b.unit,
      a.kernel && b.kernel ? roughness(*b.kernel) / roughness(*a.kernel) : 1};
  Volume scores(grid, Precision::f32);
  DensitySignificance found;
  found.place = grid.centre(0, 0, 0);
  found.level = level;
  found.threshold = threshold_of(a, b, level);
  const auto [nx, ny, nz] = grid.dims;
  std::vector<DensitySignificance> blocks(static_cast<std::size_t>(std::min(nz, kMostBlocks)));
  for_each_slice(nz, [&, nx = nx, ny = ny](std::size_t block, std::int64_t z) {
    for (std::int64_t y = 0; y < ny; ++y)
      for (std::int64_t x = 0; x < nx; ++x) {
        const double of_a = scale_a * a.density.at(x, y, z), of_b = scale_b * b.density.at(x, y, z),
                     score = equal.score(of_a, of_b, scale_a * a.errors.at(x, y, z),
                                         scale_b * b.errors.at(x, y, z));
        scores.values<float>()[static_cast<std::size_t>((z * ny + y) * nx + x)] =
            static_cast<float>(score);
        DensitySignificance one;
        one.largest = score;
        one.place = grid.centre(x, y, z);
        if (std::abs(score) >= found.threshold)
          (score > 0 ? one.a_denser : one.b_denser) = {cell, cell * of_a, cell * of_b};
        add_to(blocks[block], one);
      }
  });
  for (const DensitySignificance& block : blocks) add_to(found, block);
  return {std::move(scores), found};
}

}  // namespace skde

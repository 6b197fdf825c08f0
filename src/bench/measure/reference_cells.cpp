#include "bench/measure/reference_cells.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>

#include "core/cloud/counter_random.hpp"

namespace skde::bench {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr std::int64_t kBlock = 4096;       // samples that a thread takes at a time
constexpr double kEdge = 1e-4;              // |q - 1| within which float may misplace an edge
constexpr std::uint64_t kCellStream = 201;  // random stream that chooses cells

struct Inverse {
  Symmetric3 matrix;
  double determinant;  ///< of the matrix before inversion
};

/// Inverts by cofactors in long double, as their differences cancel for needle-like kernels.
Inverse inverse(const Symmetric3& m) {
  using Wide = long double;
  const Wide xx = m.xx, xy = m.xy, xz = m.xz, yy = m.yy, yz = m.yz, zz = m.zz;
  const Wide a = yy * zz - yz * yz, b = xz * yz - xy * zz, c = xy * yz - xz * yy;
  const Wide determinant = xx * a + xy * b + xz * c;
  const auto entry = [&](Wide cofactor) { return static_cast<double>(cofactor / determinant); };
  return {{entry(a), entry(b), entry(c), entry(xx * zz - xz * xz), entry(xy * xz - xx * yz),
           entry(xx * yy - xy * xy)},
          static_cast<double>(determinant)};
}

/// Returns a cell's centre, or the point with that number.
Vec3 place_of(const Problem& problem, std::int64_t cell) {
  if (!problem.has_grid())
    return std::get<TargetPoints>(problem.target).point(static_cast<std::size_t>(cell));
  const Grid& grid = problem.grid();
  const std::int64_t nx = grid.dims[0], ny = grid.dims[1];
  return grid.centre(cell % nx, cell / nx % ny, cell / (nx * ny));
}

/// Returns sqrt(q) up to which a kernel is summed; for an unbounded kernel, where e^-32 is left.
double end_of(const KernelRow& row) {
  return row.root_of_fall ? row.root_of_fall(32) : row.support;
}

/// What the samples of a block add to one cell.
struct CellSum {
  double sum = 0, doubt = 0;
};

/// A sample's kernel by its definition.
struct SampleKernel {
  Symmetric3 inv;
  double reach_z = 0, height = 0;  ///< height for weight 1, without the constant

  SampleKernel(const Symmetric3& H, KernelFunction function) : reach_z(end_of(function.row())) {
    const Inverse inverted = inverse(H);
    inv = inverted.matrix;
    reach_z *= std::sqrt(H.zz);
    height = 1 / std::sqrt(inverted.determinant);
  }
};

/// Returns the kernels of the samples in their order, or one kernel for all.
std::vector<SampleKernel> kernels_of(const SamplesView& points, const Kernel& kernel) {
  if (!points.shaped()) return {SampleKernel(kernel.H, kernel.function)};
  std::vector<SampleKernel> all;
  all.reserve(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double width = points.bandwidth_factor(i);
    all.emplace_back(points.shapes.empty() ? (width * width) * kernel.H : points.shape(i),
                     kernel.function);
  }
  return all;
}

CellSum sum_block(const SamplesView& points, Vec3 centre, const std::vector<SampleKernel>& kernels,
                  KernelFunction function) {
  const KernelRow& row = function.row();
  const double end = end_of(row) * end_of(row);
  const bool jumps = row.degree == 0;
  CellSum total;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto& [inv, reach_z, height] = kernels[kernels.size() > 1 ? i : 0];
    const double z = centre.z - points.xyz[3 * i + 2];
    if (!(std::abs(z) < reach_z)) continue;
    const double x = centre.x - points.xyz[3 * i], y = centre.y - points.xyz[3 * i + 1];
    const double q = inv.xx * x * x + inv.yy * y * y + inv.zz * z * z +
                     2 * (inv.xy * x * y + inv.xz * x * z + inv.yz * y * z);
    const double weight = points.weight(i) * height;
    if (jumps && std::abs(q - 1) < kEdge) total.doubt += weight;
    if (q < end) total.sum += weight * row.profile(q);
  }
  return total;
}

std::int64_t cell_of(const Grid& grid, Vec3 point) {
  const Vec3 at = grid.to_cells(point);
  std::array<std::int64_t, 3> cell{};
  for (int axis = 0; axis < 3; ++axis) {
    const auto last = static_cast<double>(grid.dims[static_cast<std::size_t>(axis)] - 1);
    cell[static_cast<std::size_t>(axis)] =
        static_cast<std::int64_t>(std::clamp(std::round(at[axis]), 0.0, last));
  }
  return (cell[2] * grid.dims[1] + cell[1]) * grid.dims[0] + cell[0];
}

template <class Body>
decltype(auto) with_values(const Volume& volume, Body&& body) {
  if (volume.precision() == Precision::f64) return body(volume.values<double>());
  return body(volume.values<float>());
}

}  // namespace

ReferenceCells make_reference_cells(const SamplesView& points, const Problem& problem,
                                    std::vector<std::int64_t> cells, const Progress& progress) {
  const KernelFunction function = problem.kernel.function;
  const double scale = function->constant / problem.total_weight;
  ReferenceCells reference{std::move(cells), {}, {}, 0};
  const std::size_t count = reference.cells.size();
  std::vector<double> sums(count), doubts(count);
  double* const sum = sums.data();
  double* const doubt = doubts.data();
  const auto size = static_cast<std::int64_t>(points.size());
  std::atomic<bool> stopped = false;
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : sum[:count], doubt[:count])
  for (std::int64_t first = 0; first < size; first += kBlock) {
    if (progress.cancelled()) stopped = true;
    if (stopped) continue;
    const SamplesView block = points.slice(
        static_cast<std::size_t>(first), static_cast<std::size_t>(std::min(kBlock, size - first)));
    const std::vector<SampleKernel> kernels = kernels_of(block, problem.kernel);
    for (std::size_t k = 0; k < count; ++k) {
      const CellSum added =
          sum_block(block, place_of(problem, reference.cells[k]), kernels, function);
      sum[k] += added.sum;
      doubt[k] += added.doubt;
    }
  }
  progress.throw_if_cancelled();
  for (double& value : sums) value *= scale;
  for (double& value : doubts) value *= scale;
  reference.density = std::move(sums);
  reference.doubt = std::move(doubts);
  for (const double value : reference.density) reference.peak = std::max(reference.peak, value);
  return reference;
}

std::vector<std::int64_t> choose_cells(const SamplesView& points, const Volume& volume,
                                       std::size_t count, std::uint64_t seed) {
  const Grid& grid = volume.grid();
  const CounterRandom random(seed, kCellStream);
  std::vector<std::int64_t> cells;
  for (std::size_t k = 0; k < count; ++k) {
    Draws draws = random.at(k);
    const std::uint64_t word = draws.word();
    cells.push_back(k % 2 == 0
                        ? static_cast<std::int64_t>(word % static_cast<std::uint64_t>(grid.cells()))
                        : cell_of(grid, points.point(word % points.size())));
  }
  cells.push_back(with_values(volume, [](const auto& values) {
    return static_cast<std::int64_t>(std::ranges::max_element(values) - values.begin());
  }));
  std::ranges::sort(cells);
  cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
  return cells;
}

double largest_error(const Volume& volume, const ReferenceCells& reference) {
  double largest = 0;
  for (std::size_t k = 0; k < reference.cells.size(); ++k) {
    const double value = with_values(volume, [&](const auto& values) {
      return static_cast<double>(values[static_cast<std::size_t>(reference.cells[k])]);
    });
    if (!std::isfinite(value)) return kNever;
    const double difference = std::abs(value - reference.density[k]) - reference.doubt[k];
    largest = std::max(largest, difference);
  }
  return reference.peak > 0 ? largest / reference.peak : largest;
}

double largest_difference(const Volume& volume, const Volume& expected) {
  const double peak = expected.maximum();
  double largest = 0;
  with_values(volume, [&](const auto& values) {
    with_values(expected, [&](const auto& others) {
      const auto size = static_cast<std::int64_t>(values.size());
#pragma omp parallel for reduction(max : largest)
      for (std::int64_t i = 0; i < size; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const double difference =
            std::abs(static_cast<double>(values[at]) - static_cast<double>(others[at]));
        // Comparisons with NaN are false.
        if (!(difference <= largest)) largest = std::isfinite(difference) ? difference : kNever;
      }
    });
  });
  return peak > 0 ? largest / peak : largest;
}

}  // namespace skde::bench

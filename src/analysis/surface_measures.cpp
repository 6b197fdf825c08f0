#include "analysis/surface_measures.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace skde {
namespace {

/// Returns the shares of three neighbouring cells in the parabola through their centres, at a place
/// `u` cells from the middle one. At faces of the box it is the line through two.
std::array<double, 3> parabola_shares(double u, bool first, bool last) {
  if (first && last) return {0, 1, 0};
  if (first) return {0, 1 - u, u};
  if (last) return {-u, 1 + u, 0};
  return {0.5 * u * (u - 1), 1 - u * u, 0.5 * u * (u + 1)};
}

/// Returns the integrals of these shares from the cell's lower face to `u`.
std::array<double, 3> parabola_integrals(double u, bool first, bool last) {
  const double one = u + 0.5, two = 0.5 * (u * u - 0.25), three = (u * u * u + 0.125) / 3;
  if (first && last) return {0, one, 0};
  if (first) return {0, one - two, two};
  if (last) return {-two, one + two, 0};
  return {0.5 * three - two / 2, one - three, 0.5 * three + two / 2};
}

/// The cell that holds a coordinate in cells, and the offset from the cell's centre.
struct InCell {
  std::int64_t cell;
  double u;

  InCell(double place, std::int64_t n)
      : cell(
            std::clamp<std::int64_t>(static_cast<std::int64_t>(std::floor(place + 0.5)), 0, n - 1)),
        u(std::clamp(place - static_cast<double>(cell), -0.5, 0.5)) {}
};

/// Integrals of the density along x, from the beginning of each row, for three slices. Between cell
/// centres the density is interpolated by parabolas through three of them along each axis.
template <class Real>
class RowIntegrals {
 public:
  explicit RowIntegrals(const Volume& volume)
      : dims_(volume.grid().dims), values_(volume.values<Real>()) {
    for (auto& slice : before_) slice.resize(static_cast<std::size_t>((dims_[0] + 1) * dims_[1]));
  }

  /// Prepares slice k and its neighbours. Slices must be visited in order.
  void go_to(std::int64_t k) {
    for (; ready_ < std::min(k + 2, dims_[2]); ++ready_)
      if (ready_ >= k - 1) sum_up(ready_);
  }

  /// Returns the integral up to a place in cells, which lies in slice k.
  double up_to(Vec3 place) const {
    const InCell x(place.x, dims_[0]), y(place.y, dims_[1]), z(place.z, dims_[2]);
    const auto shares_x = parabola_integrals(x.u, x.cell == 0, x.cell == dims_[0] - 1);
    const auto shares_y = parabola_shares(y.u, y.cell == 0, y.cell == dims_[1] - 1);
    const auto shares_z = parabola_shares(z.u, z.cell == 0, z.cell == dims_[2] - 1);
    double sum = 0;
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t b = 0; b < 3; ++b) {
        const double share = shares_z[c] * shares_y[b];
        if (share == 0) continue;
        const std::int64_t k = z.cell + static_cast<std::int64_t>(c) - 1,
                           j = y.cell + static_cast<std::int64_t>(b) - 1;
        sum += share * (before(k)[static_cast<std::size_t>(j * (dims_[0] + 1) + x.cell)] +
                        within(row(j, k), x.cell, shares_x));
      }
    return sum;
  }

 private:
  const std::vector<double>& before(std::int64_t k) const {
    return before_[static_cast<std::size_t>(k % 3)];
  }
  std::span<const Real> row(std::int64_t j, std::int64_t k) const {
    return values_.subspan(static_cast<std::size_t>((k * dims_[1] + j) * dims_[0]),
                           static_cast<std::size_t>(dims_[0]));
  }
  /// Returns the part of a cell's integral given by the shares.
  static double within(std::span<const Real> row, std::int64_t cell,
                       const std::array<double, 3>& shares) {
    double sum = 0;
    for (std::size_t a = 0; a < 3; ++a)
      if (shares[a] != 0)
        sum += shares[a] * static_cast<double>(row[static_cast<std::size_t>(cell) + a - 1]);
    return sum;
  }
  void sum_up(std::int64_t k) {
    std::vector<double>& sums = before_[static_cast<std::size_t>(k % 3)];
#pragma omp parallel for schedule(static)
    for (std::int64_t j = 0; j < dims_[1]; ++j) {
      const std::span<const Real> values = row(j, k);
      double* const to = sums.data() + j * (dims_[0] + 1);
      to[0] = 0;
      for (std::int64_t i = 0; i < dims_[0]; ++i)
        to[i + 1] = to[i] + within(values, i, parabola_integrals(0.5, i == 0, i == dims_[0] - 1));
    }
  }

  std::array<std::int64_t, 3> dims_;
  std::span<const Real> values_;
  std::array<std::vector<double>, 3> before_;  ///< of slice k at k % 3
  std::int64_t ready_ = 0;                     ///< slices prepared so far
};

/// The triangles of a mesh, in cell coordinates, sorted by the slices that they pass through.
class SlicedTriangles {
 public:
  SlicedTriangles(const TriangleMesh& mesh, const Grid& grid)
      : mesh_(mesh), cells_(mesh.points.size()), slices_(grid.dims[2]) {
    std::ranges::transform(mesh.points, cells_.begin(), [&](Vec3 at) { return grid.to_cells(at); });
    starts_.assign(static_cast<std::size_t>(slices_) + 1, 0);
    for_each([&](std::size_t k, std::uint32_t) { ++starts_[k + 1]; });
    for (std::size_t k = 0; k < static_cast<std::size_t>(slices_); ++k)
      starts_[k + 1] += starts_[k];
    triangles_.resize(starts_.back());
    std::vector<std::size_t> next = starts_;
    for_each([&](std::size_t k, std::uint32_t triangle) { triangles_[next[k]++] = triangle; });
  }

  std::span<const std::uint32_t> in_slice(std::int64_t k) const {
    const auto i = static_cast<std::size_t>(k);
    return std::span(triangles_).subspan(starts_[i], starts_[i + 1] - starts_[i]);
  }
  std::array<Vec3, 3> corners(std::uint32_t triangle) const {
    const auto& names = mesh_.triangles[triangle];
    return {cells_[names[0]], cells_[names[1]], cells_[names[2]]};
  }

 private:
  template <class Use>
  void for_each(const Use& use) const {
    for (std::uint32_t t = 0; t < mesh_.triangles.size(); ++t) {
      const auto c = corners(t);
      const auto [low, high] = std::minmax({c[0].z, c[1].z, c[2].z});
      for (auto k = InCell(low, slices_).cell; k <= InCell(high, slices_).cell; ++k)
        use(static_cast<std::size_t>(k), t);
    }
  }

  const TriangleMesh& mesh_;
  std::vector<Vec3> cells_;
  std::int64_t slices_;
  std::vector<std::size_t> starts_;  ///< first triangle of each slice, and the end
  std::vector<std::uint32_t> triangles_;
};

/// Cuts a triangle into parts, `cuts` along each side. Calls use(place) for the points, in each
/// part, of a quadrature rule that is exact for parabolas. All points have equal weight.
template <class Use>
void for_each_point(const std::array<Vec3, 3>& corners, int cuts, const Use& use) {
  constexpr std::array<std::array<double, 2>, 3> kRule{
      {{1.0 / 6, 1.0 / 6}, {2.0 / 3, 1.0 / 6}, {1.0 / 6, 2.0 / 3}}};
  const Vec3 u = (1.0 / cuts) * (corners[1] - corners[0]),
             v = (1.0 / cuts) * (corners[2] - corners[0]);
  for (int i = 0; i < cuts; ++i)
    for (int j = 0; i + j < cuts; ++j)
      for (const auto& [a, b] : kRule) {
        use(corners[0] + (i + a) * u + (j + b) * v);
        if (i + j + 1 < cuts) use(corners[0] + (i + 1 - a) * u + (j + 1 - b) * v);
      }
}

template <class Real>
double mass_within(const TriangleMesh& mesh, const Volume& volume, Progress& progress) {
  constexpr double kFewest = 20000;  // points, so that small surfaces sample more than few cells
  constexpr int kMostCuts = 16;
  const auto triangles = static_cast<double>(mesh.triangles.size());
  const int cuts =
      std::clamp(static_cast<int>(std::ceil(std::sqrt(kFewest / 3 / triangles))), 1, kMostCuts);
  const std::int64_t slices = volume.grid().dims[2];
  const SlicedTriangles sliced(mesh, volume.grid());
  RowIntegrals<Real> rows(volume);
  double mass = 0;
  progress.begin("measuring", static_cast<std::uint64_t>(slices), "slices");
  for (std::int64_t k = 0; k < slices; ++k) {
    progress.throw_if_cancelled();
    progress.update(static_cast<std::uint64_t>(k));
    const auto here = sliced.in_slice(k);
    if (!here.empty()) rows.go_to(k);
    for (const std::uint32_t triangle : here) {
      const std::array<Vec3, 3> corners = sliced.corners(triangle);
      double sum = 0;
      for_each_point(corners, cuts, [&](Vec3 place) {
        if (InCell(place.z, slices).cell == k) sum += rows.up_to(place);
      });
      mass += sum * 0.5 * cross(corners[1] - corners[0], corners[2] - corners[0]).x;
    }
  }
  return mass / (3 * cuts * cuts) * volume.grid().cell_volume();
}

/// The values of the cells, 0 outside the box.
template <class Real>
class PaddedValues {
 public:
  explicit PaddedValues(const Volume& volume)
      : dims_(volume.grid().dims), values_(volume.values<Real>()) {}

  double at(std::int64_t i, std::int64_t j, std::int64_t k) const {
    if (i < 0 || j < 0 || k < 0 || i >= dims_[0] || j >= dims_[1] || k >= dims_[2]) return 0;
    return static_cast<double>(
        values_[static_cast<std::size_t>((k * dims_[1] + j) * dims_[0] + i)]);
  }

  /// Returns twice the gradient per cell, at a place in cells.
  Vec3 gradient(Vec3 place) const {
    const Vec3 base{std::floor(place.x), std::floor(place.y), std::floor(place.z)};
    const Vec3 part = place - base;
    Vec3 sum;
    for (int corner = 0; corner < 8; ++corner) {
      const int dx = corner & 1, dy = (corner >> 1) & 1, dz = corner >> 2;
      const double share =
          (dx ? part.x : 1 - part.x) * (dy ? part.y : 1 - part.y) * (dz ? part.z : 1 - part.z);
      const auto i = static_cast<std::int64_t>(base.x) + dx,
                 j = static_cast<std::int64_t>(base.y) + dy,
                 k = static_cast<std::int64_t>(base.z) + dz;
      sum = sum + share * Vec3{at(i + 1, j, k) - at(i - 1, j, k), at(i, j + 1, k) - at(i, j - 1, k),
                               at(i, j, k + 1) - at(i, j, k - 1)};
    }
    return sum;
  }

 private:
  std::array<std::int64_t, 3> dims_;
  std::span<const Real> values_;
};

Vec3 unit(Vec3 v) {
  const double scale = std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)});
  if (!(scale > 0) || !std::isfinite(scale)) return {};
  v = (1 / scale) * v;
  return (1 / std::sqrt(dot(v, v))) * v;
}

/// Returns the mean normal of the triangles around each point, weighted by their areas in cells.
std::vector<Vec3> normals_of_triangles(const TriangleMesh& mesh, const Grid& grid) {
  std::vector<Vec3> sums(mesh.points.size());
  for (const auto& triangle : mesh.triangles) {
    const Vec3 a = grid.to_cells(mesh.points[triangle[0]]);
    const Vec3 area = cross(grid.to_cells(mesh.points[triangle[1]]) - a,
                            grid.to_cells(mesh.points[triangle[2]]) - a);
    for (const std::uint32_t point : triangle) sums[point] = sums[point] + area;
  }
  return sums;
}

template <class Real>
void add_normals_of(TriangleMesh& mesh, const Volume& volume) {
  const Grid& grid = volume.grid();
  const PaddedValues<Real> values(volume);
  const Vec3 d = grid.spacing;
  std::vector<Vec3> around = normals_of_triangles(mesh, grid);
  const auto count = static_cast<std::int64_t>(mesh.points.size());
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < count; ++i) {
    Vec3& normal = around[static_cast<std::size_t>(i)];
    const Vec3 falls =
        -1 * values.gradient(grid.to_cells(mesh.points[static_cast<std::size_t>(i)]));
    // Both are in cell coordinates, in which surface normals transform as gradients do.
    const Vec3 chosen = dot(falls, normal) > 0 ? falls : normal;
    normal = unit({chosen.x / d.x, chosen.y / d.y, chosen.z / d.z});
  }
  mesh.normals = std::move(around);
}

}  // namespace

double enclosed_volume(const TriangleMesh& mesh) {
  if (mesh.points.empty()) return 0;
  const Vec3 origin = mesh.points.front();  // keeps the digits of coordinates far from 0
  double sum = 0;
  for (const auto& [a, b, c] : mesh.triangles)
    sum += dot(mesh.points[a] - origin, cross(mesh.points[b] - origin, mesh.points[c] - origin));
  return sum / 6;
}

double enclosed_mass(const TriangleMesh& mesh, const Volume& volume, Progress& progress) {
  if (mesh.triangles.empty()) return 0;
  return volume.precision() == Precision::f32 ? mass_within<float>(mesh, volume, progress)
                                              : mass_within<double>(mesh, volume, progress);
}

void add_normals(TriangleMesh& mesh, const Volume& volume) {
  if (volume.precision() == Precision::f32)
    add_normals_of<float>(mesh, volume);
  else
    add_normals_of<double>(mesh, volume);
}

}  // namespace skde

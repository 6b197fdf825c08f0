#include "analysis/surface_measures.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace skde {
namespace {

double dot(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
Vec3 cross(Vec3 a, Vec3 b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// Where a line along x through the centres of a row of cells passes the mesh, in cells.
struct Crossing {
  std::int64_t row;  ///< j + ny k
  double x;
  int direction;  ///< 1 out of the mesh, -1 into it
};

/// The side of the triangle on which (y, z) lies: 0 outside, else the sense of its corners. Which
/// of two triangles a shared edge belongs to depends on its ends alone, so that no line slips
/// through between them.
int winding(const std::array<Vec3, 3>& corners, const std::array<std::uint32_t, 3>& names, double y,
            double z) {
  int turns = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    std::size_t a = i, b = (i + 1) % 3;
    if ((corners[a].z <= z) == (corners[b].z <= z)) continue;
    const int sense = corners[b].z > corners[a].z ? 1 : -1;
    if (names[a] > names[b]) std::swap(a, b);
    const double share = (z - corners[a].z) / (corners[b].z - corners[a].z);
    if (corners[a].y + share * (corners[b].y - corners[a].y) > y) turns += sense;
  }
  return turns;
}

/// Where the plane of the triangle has (y, z), kept between its corners.
double plane_x(const std::array<Vec3, 3>& c, double y, double z) {
  const Vec3 normal = cross(c[1] - c[0], c[2] - c[0]);
  const auto [low, high] = std::minmax({c[0].x, c[1].x, c[2].x});
  const double x = c[0].x - (normal.y * (y - c[0].y) + normal.z * (z - c[0].z)) / normal.x;
  return std::isfinite(x) ? std::clamp(x, low, high) : 0.5 * (low + high);
}

void append_crossings(const std::array<Vec3, 3>& corners, const std::array<std::uint32_t, 3>& names,
                      const Grid& grid, std::vector<Crossing>& crossings) {
  const auto [low_y, high_y] = std::minmax({corners[0].y, corners[1].y, corners[2].y});
  const auto [low_z, high_z] = std::minmax({corners[0].z, corners[1].z, corners[2].z});
  const auto first = [](double low) {
    return std::max<std::int64_t>(0, static_cast<std::int64_t>(std::ceil(low)));
  };
  const auto last = [](double high, std::int64_t n) {
    return std::min(n - 1, static_cast<std::int64_t>(std::floor(high)));
  };
  for (std::int64_t k = first(low_z); k <= last(high_z, grid.dims[2]); ++k)
    for (std::int64_t j = first(low_y); j <= last(high_y, grid.dims[1]); ++j) {
      const auto y = static_cast<double>(j), z = static_cast<double>(k);
      if (const int direction = winding(corners, names, y, z))
        crossings.push_back({j + grid.dims[1] * k, plane_x(corners, y, z), direction});
    }
}

std::vector<Crossing> crossings_of(const TriangleMesh& mesh, const Grid& grid, Progress& progress) {
  constexpr std::size_t kChunk = std::size_t{1} << 20;
  std::vector<Vec3> cells(mesh.points.size());
  std::ranges::transform(mesh.points, cells.begin(), [&](Vec3 at) { return grid.to_cells(at); });
  std::vector<Crossing> crossings;
  progress.begin("measuring", mesh.triangles.size(), "triangles");
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    if (i % kChunk == 0) {
      progress.throw_if_cancelled();
      progress.update(i);
    }
    const auto& names = mesh.triangles[i];
    append_crossings({cells[names[0]], cells[names[1]], cells[names[2]]}, names, grid, crossings);
  }
  std::ranges::sort(crossings, {}, &Crossing::row);
  return crossings;
}

/// Sums up the values of a row, in cells, from its beginning to each crossing.
template <class Real>
double mass_along(std::span<const Real> row, std::span<const Crossing> crossings,
                  std::vector<double>& before) {
  before.assign(row.size() + 1, 0);
  for (std::size_t i = 0; i < row.size(); ++i)
    before[i + 1] = before[i] + static_cast<double>(row[i]);
  double mass = 0;
  for (const Crossing& crossing : crossings) {
    const double at = std::clamp(crossing.x + 0.5, 0.0, static_cast<double>(row.size()));
    const auto cell = std::min(static_cast<std::size_t>(at), row.size() - 1);
    mass += crossing.direction *
            (before[cell] + (at - static_cast<double>(cell)) * static_cast<double>(row[cell]));
  }
  return mass;
}

/// Value of a cell, 0 outside of the box.
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

  /// Twice the gradient a cell, at a place in cells.
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

/// The mean of the triangles around each point, by their areas in cells.
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
    // Both in cells, where directions across a surface turn as gradients do.
    const Vec3 chosen = dot(falls, normal) > 0 ? falls : normal;
    normal = unit({chosen.x / d.x, chosen.y / d.y, chosen.z / d.z});
  }
  mesh.normals = std::move(around);
}

}  // namespace

double enclosed_volume(const TriangleMesh& mesh) {
  if (mesh.points.empty()) return 0;
  const Vec3 origin = mesh.points.front();  // so that coordinates far from 0 keep their digits
  double sum = 0;
  for (const auto& [a, b, c] : mesh.triangles)
    sum += dot(mesh.points[a] - origin, cross(mesh.points[b] - origin, mesh.points[c] - origin));
  return sum / 6;
}

double enclosed_mass(const TriangleMesh& mesh, const Volume& volume, Progress& progress) {
  const std::vector<Crossing> crossings = crossings_of(mesh, volume.grid(), progress);
  const auto nx = static_cast<std::size_t>(volume.grid().dims[0]);
  std::vector<double> before;
  double mass = 0;
  std::visit(
      [&]<class Real>(std::span<const Real> values) {
        for (auto begin = crossings.begin(); begin != crossings.end();) {
          const auto end = std::find_if(begin, crossings.end(), [&](const Crossing& crossing) {
            return crossing.row != begin->row;
          });
          mass += mass_along(values.subspan(static_cast<std::size_t>(begin->row) * nx, nx),
                             {begin, end}, before);
          begin = end;
        }
      },
      volume.value_span());
  return mass * volume.grid().cell_volume();
}

void add_normals(TriangleMesh& mesh, const Volume& volume) {
  if (volume.precision() == Precision::f32)
    add_normals_of<float>(mesh, volume);
  else
    add_normals_of<double>(mesh, volume);
}

}  // namespace skde

#include "analysis/answers/region_mass.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <utility>

#include "analysis/density_sampler.hpp"
#include "core/report/error.hpp"

namespace skde {
namespace {

/// The mass of a normal distribution between two places, in deviations.
double normal_share(double from, double to) {
  const double root = std::numbers::sqrt2;
  if (from > 0) return 0.5 * (std::erfc(from / root) - std::erfc(to / root));
  if (to < 0) return 0.5 * (std::erfc(-to / root) - std::erfc(-from / root));
  return 0.5 * (std::erf(to / root) - std::erf(from / root));
}

/// Shares of the samples' kernels in regions.
class KernelShares {
 public:
  KernelShares(const SamplesView& points, const Kernel& kernel)
      : points_(points),
        mass_(uncut(kernel)),
        cut_(uncut(kernel).cut()),
        is_gaussian_(kernel.function == KernelFunction::gaussian),
        common_(kernel.H) {}

  KernelShare of(std::size_t i, const Region& region) const {
    const Symmetric3 H = points_.shapes.empty() ? common_ : points_.shape(i);
    const double width = points_.bandwidth_factor(i);
    const Vec3 at = points_.point(i);
    return std::visit([&](const auto& one) { return share(H, at, width, one); }, region);
  }

 private:
  static Kernel uncut(Kernel kernel) {
    kernel.tolerance = 1e-15;
    return kernel;
  }
  static KernelShare integrated(double share) {
    constexpr double kError = 1e-9;  // of KernelMass
    return {share, share > 0 && share < 1 ? kError : 0};
  }
  Ellipsoid<double> ellipsoid(const Symmetric3& H) const { return ellipsoid_in_world(H, cut_); }

  KernelShare share(const Symmetric3& H, Vec3 at, double width, const Box& box) const {
    const Box seen{(1 / width) * (box.lower - at), (1 / width) * (box.upper - at)};
    if (!is_gaussian_ || H.xy != 0 || H.xz != 0 || H.yz != 0)
      return integrated(mass_.in_box(ellipsoid(H), seen));
    const Vec3 deviations{std::sqrt(H.xx), std::sqrt(H.yy), std::sqrt(H.zz)};
    double product = 1;
    for (int axis = 0; axis < 3; ++axis)
      product *=
          normal_share(seen.lower[axis] / deviations[axis], seen.upper[axis] / deviations[axis]);
    return {product};
  }
  KernelShare share(const Symmetric3& H, Vec3 at, double width, const HalfSpace& half) const {
    const Vec3 given = half.normal;
    const double size = std::max({std::abs(given.x), std::abs(given.y), std::abs(given.z)});
    const Vec3 n{given.x / size, given.y / size, given.z / size};  // squares of it are in range
    const double offset = (half.offset / size - dot(n, at)) / width;
    if (!is_gaussian_) return integrated(mass_.beyond_plane(ellipsoid(H), n, offset));
    const double variance = n.x * (H.xx * n.x + 2 * H.xy * n.y + 2 * H.xz * n.z) +
                            n.y * (H.yy * n.y + 2 * H.yz * n.z) + n.z * H.zz * n.z;
    return {normal_share(offset / std::sqrt(variance), std::numeric_limits<double>::infinity())};
  }
  KernelShare share(const Symmetric3& H, Vec3 at, double width, const Sphere& sphere) const {
    return mass_.in_sphere(ellipsoid(H), (1 / width) * (sphere.centre - at), sphere.radius / width);
  }
  KernelShare share(const Symmetric3& H, Vec3 at, double width, const Body& body) const {
    return integrated(mass_.in_mesh(ellipsoid(H), body, at, width));
  }

  SamplesView points_;
  KernelMass mass_;
  double cut_;
  bool is_gaussian_;
  Symmetric3 common_;
};

/// Marks the cells whose centres are within the body: above an odd number of its triangles. The
/// body is moved by a millionth of a cell, so that no centre lies over an edge. Returns the number
/// of cells that are inside more than once, or inside out.
std::int64_t mark(std::vector<char>& inside, const Grid& grid, const Body& body) {
  constexpr double kAside = 1e-6;
  const auto [nx, ny, nz] = grid.dims;
  std::vector<std::int32_t> turns(inside.size());  // of the surface below a cell, less that above
  for (const Triangle& world : body) {
    Triangle t;
    std::ranges::transform(world, t.begin(), [&](Vec3 p) {
      return grid.to_cells(p) + Vec3{kAside, kAside * std::numbers::sqrt2, 0};
    });
    const double area =
        (t[1].x - t[0].x) * (t[2].y - t[0].y) - (t[1].y - t[0].y) * (t[2].x - t[0].x);
    if (area == 0) continue;
    const auto first = [](double least) {
      return static_cast<std::int64_t>(std::ceil(std::max(least, 0.0)));
    };
    const auto [low_x, high_x] = std::minmax({t[0].x, t[1].x, t[2].x});
    const auto [low_y, high_y] = std::minmax({t[0].y, t[1].y, t[2].y});
    for (std::int64_t j = first(low_y); j < ny && static_cast<double>(j) <= high_y; ++j)
      for (std::int64_t i = first(low_x); i < nx && static_cast<double>(i) <= high_x; ++i) {
        const Vec3 at{static_cast<double>(i), static_cast<double>(j), 0};
        std::array<double, 3> shares;
        for (std::size_t k = 0; k < 3; ++k) {
          const Vec3 a = t[(k + 1) % 3], b = t[(k + 2) % 3];
          shares[k] = ((b.x - a.x) * (at.y - a.y) - (b.y - a.y) * (at.x - a.x)) / area;
        }
        if (std::ranges::min(shares) < 0) continue;
        const double z = shares[0] * t[0].z + shares[1] * t[1].z + shares[2] * t[2].z;
        if (!(z <= static_cast<double>(nz - 1))) continue;
        turns[static_cast<std::size_t>((first(z) * ny + j) * nx + i)] += area < 0 ? 1 : -1;
      }
  }
  const auto slice = static_cast<std::size_t>(nx * ny);
  for (std::size_t cell = 0; cell < inside.size(); ++cell) {
    if (cell >= slice) turns[cell] += turns[cell - slice];
    inside[cell] = turns[cell] > 0;
  }
  return std::ranges::count_if(turns, [](std::int32_t turn) { return turn < 0 || turn > 1; });
}

/// Throws Error(input) if parts of the body overlap, or are inside out, by a hundredth of it.
void require_one_layer(const Body& body) {
  constexpr std::array<std::int64_t, 3> kDims{256, 256, 64};
  Grid grid{body[0][0], {}, kDims};
  Vec3 upper = body[0][0];
  for (const Triangle& one : body)
    for (const Vec3 corner : one)
      for (int axis = 0; axis < 3; ++axis) {
        grid.lower[axis] = std::min(grid.lower[axis], corner[axis]);
        upper[axis] = std::max(upper[axis], corner[axis]);
      }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const int a = static_cast<int>(axis);
    grid.spacing[a] = (upper[a] - grid.lower[a]) / static_cast<double>(kDims[axis]);
    if (!(grid.spacing[a] > 0)) return;
  }
  std::vector<char> inside(static_cast<std::size_t>(grid.cells()));
  if (mark(inside, grid, body) * 100 > std::ranges::count(inside, char{1}))
    throw Error(ErrorKind::input, "parts of the mesh overlap, or one of them is inside out",
                {{}, "unite the parts, or give each as a mesh of its own"});
}

bool holds(const HalfSpace& half, Vec3 at) { return dot(half.normal, at) > half.offset; }
bool holds(const Sphere& sphere, Vec3 at) {
  const Vec3 from = at - sphere.centre;
  return dot(from, from) < sphere.radius * sphere.radius;
}
template <class Shape>
void mark(std::vector<char>& inside, const Grid& grid, const Shape& shape) {
  std::size_t cell = 0;
  for (std::int64_t k = 0; k < grid.dims[2]; ++k)
    for (std::int64_t j = 0; j < grid.dims[1]; ++j)
      for (std::int64_t i = 0; i < grid.dims[0]; ++i)
        inside[cell++] = holds(shape, grid.centre(i, j, k));
}

/// True if a cell that shares a face is on the other side.
bool is_cut(const std::vector<char>& inside, const Grid& grid, std::int64_t i, std::int64_t j,
            std::int64_t k) {
  const std::array<std::int64_t, 3> at{i, j, k},
      steps{1, grid.dims[0], grid.dims[0] * grid.dims[1]};
  const std::int64_t cell = i + j * steps[1] + k * steps[2];
  const auto differs = [&](std::int64_t other) {
    return inside[static_cast<std::size_t>(other)] != inside[static_cast<std::size_t>(cell)];
  };
  for (std::size_t a = 0; a < 3; ++a)
    if ((at[a] > 0 && differs(cell - steps[a])) ||
        (at[a] + 1 < grid.dims[a] && differs(cell + steps[a])))
      return true;
  return false;
}

/// Returns sum of the values above 0 times share(i, j, k), slice by slice.
template <class Share>
double sum_of_cells(const Volume& volume, const Share& share) {
  const auto [nx, ny, nz] = volume.grid().dims;
  double sum = 0;
  for (std::int64_t k = 0; k < nz; ++k) {
    double slice = 0;
    for (std::int64_t j = 0; j < ny; ++j)
      for (std::int64_t i = 0; i < nx; ++i)
        if (const double value = volume.at(i, j, k); value > 0) slice += value * share(i, j, k);
    sum += slice;
  }
  return sum;
}

RegionMass mass_of_cells(const Volume& volume, double unit, const Box& box) {
  const Grid& grid = volume.grid();
  std::array<std::vector<double>, 3> shares;
  for (int axis = 0; axis < 3; ++axis)
    for (std::int64_t i = 0; i < grid.dims[static_cast<std::size_t>(axis)]; ++i) {
      const double from = (box.lower[axis] - grid.lower[axis]) / grid.spacing[axis],
                   to = (box.upper[axis] - grid.lower[axis]) / grid.spacing[axis],
                   at = static_cast<double>(i);
      shares[static_cast<std::size_t>(axis)].push_back(
          std::max(0.0, std::min(to, at + 1) - std::max(from, at)));
    }
  const auto of = [&](std::size_t axis, std::int64_t i) {
    return shares[axis][static_cast<std::size_t>(i)];
  };
  return {unit * sum_of_cells(volume, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
            return of(0, i) * of(1, j) * of(2, k);
          })};
}

template <class Shape>
RegionMass mass_of_cells(const Volume& volume, double unit, const Shape& shape) {
  const Grid& grid = volume.grid();
  std::vector<char> inside(static_cast<std::size_t>(grid.cells()));
  mark(inside, grid, shape);
  const auto is_inside = [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    return inside[static_cast<std::size_t>((k * grid.dims[1] + j) * grid.dims[0] + i)] ? 1.0 : 0.0;
  };
  const auto half_if_cut = [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    return is_cut(inside, grid, i, j, k) ? 0.5 : 0.0;
  };
  return {unit * sum_of_cells(volume, is_inside), {}, unit * sum_of_cells(volume, half_if_cut)};
}

/// The sums over some samples.
struct ShareSums {
  double shares = 0, squares = 0, errors = 0;
};

/// Sums over the samples in their order, after `before` other regions.
ShareSums sum_of(const KernelShares& shares, const Region& region, const SampleCloud& cloud,
                 std::size_t before, Progress& progress) {
  constexpr std::size_t kAtOnce = 1024;
  const SamplesView& points = cloud.points;
  ShareSums sum;
  std::vector<KernelShare> some(kAtOnce);
  for (std::size_t first = 0; first < points.size(); first += kAtOnce) {
    progress.throw_if_cancelled();
    progress.update(first + before * points.size());
    const std::size_t size = std::min(kAtOnce, points.size() - first);
#pragma omp parallel for schedule(dynamic, 16)
    for (std::size_t i = 0; i < size; ++i) some[i] = shares.of(first + i, region);
    for (std::size_t i = 0; i < size; ++i) {
      const double weight = points.weight(first + i);
      sum.shares += weight * some[i].share;
      sum.squares += weight * some[i].share * some[i].share;
      sum.errors += weight * some[i].error;
    }
  }
  const double total = cloud.moments.total_weight();
  return {sum.shares / total, sum.squares / total, sum.errors / total};
}

}  // namespace

Body body_of(const TriangleMesh& mesh) {
  using Place = std::array<double, 3>;
  std::map<std::pair<Place, Place>, int> edges;  // the directions of an edge, less the others
  Body body;
  double volume = 0;
  for (const auto& corners : mesh.triangles) {
    Triangle one;
    for (std::size_t k = 0; k < 3; ++k) one[k] = mesh.points.at(corners[k]);
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3 a = one[k], b = one[(k + 1) % 3];
      const Place from{a.x, a.y, a.z}, to{b.x, b.y, b.z};
      if (from != to) edges[std::minmax(from, to)] += from < to ? 1 : -1;
    }
    const Vec3 origin = mesh.points[mesh.triangles[0][0]];
    volume += dot(one[0] - origin, cross(one[1] - origin, one[2] - origin));
    body.push_back(one);
  }
  const auto open = std::ranges::count_if(edges, [](const auto& edge) { return edge.second != 0; });
  if (open > 0 || body.empty())
    throw Error(ErrorKind::input, "the mesh is not closed, or its triangles look to both sides",
                {{}, "use a mesh that is closed, as skde iso writes"});
  if (volume < 0)
    for (Triangle& one : body) std::swap(one[1], one[2]);
  require_one_layer(body);
  return body;
}

KernelMasses masses_in(const std::shared_ptr<const SampleCloud>& cloud,
                       const DensityRequest& request, std::span<const Region> regions,
                       Progress& progress) {
  if (has_boundary(request.boundaries))
    throw Error(ErrorKind::unsupported,
                "the mass of a density with boundaries is not known from its kernels alone",
                {"boundary", "write the density to a volume, and take the mass of that"});
  const SummedKernels kernels = summed_kernels(cloud, request, "masses", progress);
  const SamplesView& points = kernels.cloud->points;
  const KernelShares shares(points, kernels.setup.kernel);
  KernelMasses found{kernels.setup.kernel.function, kernels.setup.bandwidth, points.size(),
                     cloud->moments.total_weight(), cloud->columns.units(),  cloud->columns.frame};
  progress.begin("masses", points.size() * regions.size(), "samples");
  for (const Region& region : regions) {
    const ShareSums sum = sum_of(shares, region, *kernels.cloud, found.regions.size(), progress);
    const double variance = std::max(sum.squares - sum.shares * sum.shares, 0.0);
    found.regions.push_back(
        {sum.shares, std::sqrt(variance / cloud->moments.effective_samples()), sum.errors});
  }
  return found;
}

std::vector<RegionMass> masses_in(const Volume& volume, double whole,
                                  std::span<const Region> regions, Progress& progress) {
  std::vector<RegionMass> all;
  const double unit = volume.grid().cell_volume() / whole;
  for (const Region& region : regions) {
    progress.throw_if_cancelled();
    all.push_back(
        std::visit([&](const auto& one) { return mass_of_cells(volume, unit, one); }, region));
  }
  return all;
}

}  // namespace skde

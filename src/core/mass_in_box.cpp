#include "core/mass_in_box.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/kernel_mass.hpp"

namespace skde {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 14;  // samples, whose sums are added in order
constexpr std::uint64_t kMostIntegrals = 8192;

/// The ellipsoid of a kernel with this H in world units. Thin axes of samples' own shapes are lost
/// in rounding, and are kept a little wider.
Ellipsoid<double> ellipsoid_in_world(const Symmetric3& H, double cut) {
  constexpr double kLeast = 1e-7;
  Ellipsoid<double> e =
      ellipsoid_of<long double>(H.xx, H.xy, H.xz, H.yy, H.yz, H.zz).cast<double>().scaled(cut);
  e.sx = std::fmax(e.sx, kLeast * e.rx);
  e.sy = std::fmax(e.sy, kLeast * e.ry);
  if (!std::isfinite(e.bxy)) e.bxy = 0;
  e.inv_sx = 1 / e.sx;
  e.inv_sy = 1 / e.sy;
  return e;
}

/// How many axes have a face of the box within the kernel; -1 where they do not meet.
int crossed_axes(const Ellipsoid<double>& e, const Box& box) {
  const Vec3 half{e.rx, e.ry, e.sz};
  int axes = 0;
  for (int axis = 0; axis < 3; ++axis) {
    if (box.lower[axis] >= half[axis] || box.upper[axis] <= -half[axis]) return -1;
    axes += box.lower[axis] > -half[axis] || box.upper[axis] < half[axis] ? 1 : 0;
  }
  return axes;
}

/// The box as a kernel of width 1 about the origin sees it.
Box seen_from(const Box& box, Vec3 sample, double width) {
  return {(1 / width) * (box.lower - sample), (1 / width) * (box.upper - sample)};
}

/// The box and what its faces do.
struct Faces {
  Box box;      ///< of faces that kernels reach out of or are cut at; others are at infinity
  Box divided;  ///< of those alone that kernels are divided by their mass between
  bool divides = false;

  Faces(const Box& given, const Boundaries& boundaries) : box(given) {
    constexpr double kFar = std::numeric_limits<double>::infinity();
    divided = {{-kFar, -kFar, -kFar}, {kFar, kFar, kFar}};
    const bool cuts = std::ranges::find(boundaries, Boundary::none) != boundaries.end();
    for (int axis = 0; axis < 3; ++axis) {
      const Boundary boundary = boundaries[static_cast<std::size_t>(axis)];
      if (boundary == Boundary::none) continue;
      if (boundary == Boundary::renormalize && cuts) {
        divides = true;
        divided.lower[axis] = given.lower[axis];
        divided.upper[axis] = given.upper[axis];
      } else {
        box.lower[axis] = -kFar;
        box.upper[axis] = kFar;
      }
    }
  }
};

/// Sums over samples, and what is left to integrals.
struct Sums {
  MassInBox known;
  double edge_weight = 0;  ///< of samples at edges and corners
  std::uint64_t edges = 0;
};

/// Calls body(sums, i) for all samples and adds the sums of blocks in their order.
template <class Sum, class Body>
Sum over_samples(std::size_t size, int threads, const Body& body) {
  const std::size_t blocks = (size + kBlock - 1) / kBlock;
  std::vector<Sum> partial(blocks);
  const int workers = threads > 0 ? threads : omp_get_max_threads();
#pragma omp parallel for schedule(dynamic, 1) num_threads(workers)
  for (std::size_t block = 0; block < blocks; ++block)
    for (std::size_t i = block * kBlock; i < std::min(size, (block + 1) * kBlock); ++i)
      body(partial[block], i);
  Sum all{};
  for (const Sum& sum : partial) all += sum;
  return all;
}

Sums& operator+=(Sums& sums, const Sums& other) {
  sums.known += other.known;
  sums.edge_weight += other.edge_weight;
  sums.edges += other.edges;
  return sums;
}

/// Weight and mass of the samples at edges that were integrated.
struct Edges {
  double weight = 0, mass = 0;
  Edges& operator+=(const Edges& other) {
    weight += other.weight;
    mass += other.mass;
    return *this;
  }
};

/// True for about one index in `one_in`, spread without a period.
bool is_chosen(std::uint64_t i, std::uint64_t one_in) {
  constexpr std::uint64_t kGoldenRatio = 0x9e3779b97f4a7c15u;  // of 2^64
  return (i * kGoldenRatio >> 32) % one_in == 0;
}

/// Where a sample lies.
struct Place {
  bool outside = false;  ///< of the box
  bool beyond = false;   ///< a face at which the box ends
};

Place place_of(Vec3 p, const Box& box, const Boundaries& boundaries) {
  Place place;
  for (int axis = 0; axis < 3; ++axis) {
    const Boundary boundary = boundaries[static_cast<std::size_t>(axis)];
    if (boundary == Boundary::periodic) continue;
    if (is_between(p[axis], box.lower[axis], box.upper[axis])) continue;
    place.outside = true;
    place.beyond = place.beyond || ends_at_faces(boundary);
  }
  return place;
}

}  // namespace

MassInBox& MassInBox::operator+=(const MassInBox& other) {
  weight += other.weight;
  outside += other.outside;
  beyond += other.beyond;
  return *this;
}

MassInBox mass_in_box(const Kernel& kernel, const Box& box, const SamplesView& points,
                      const Boundaries& boundaries, int threads) {
  const KernelMass mass(kernel);
  const Faces faces(box, boundaries);
  const double cut = kernel.cut();
  const Ellipsoid<double> common = ellipsoid_in_world(kernel.H, cut);
  const auto ellipsoid_at = [&](std::size_t i) {
    return points.shapes.empty() ? common : ellipsoid_in_world(points.shape(i), cut);
  };
  const auto box_about = [&](std::size_t i, const Box& of) {
    return seen_from(of, points.point(i), points.width(i));
  };
  const auto share = [&](std::size_t i, const Ellipsoid<double>& e) {
    const double inside = mass.in_box(e, box_about(i, faces.box));
    return faces.divides ? inside / mass.in_box(e, box_about(i, faces.divided)) : inside;
  };
  Sums sums = over_samples<Sums>(points.size(), threads, [&](Sums& sum, std::size_t i) {
    const double weight = points.weight(i);
    if (!(weight > 0)) return;
    const Place place = place_of(points.point(i), box, boundaries);
    sum.known.outside += place.outside ? 1 : 0;
    sum.known.beyond += place.beyond ? 1 : 0;
    if (place.beyond) return;
    const Ellipsoid<double> e = ellipsoid_at(i);
    const int crossed = crossed_axes(e, box_about(i, faces.box));
    if (crossed == 0) sum.known.weight += weight;
    if (crossed == 1) sum.known.weight += weight * share(i, e);
    if (crossed < 2) return;
    sum.edge_weight += weight;
    ++sum.edges;
  });
  if (sums.edges == 0) return sums.known;
  const std::uint64_t one_in = (sums.edges + kMostIntegrals - 1) / kMostIntegrals;
  const Edges edges = over_samples<Edges>(points.size(), threads, [&](Edges& sum, std::size_t i) {
    if (!(points.weight(i) > 0) || !is_chosen(i, one_in)) return;
    if (place_of(points.point(i), box, boundaries).beyond) return;
    const Ellipsoid<double> e = ellipsoid_at(i);
    if (crossed_axes(e, box_about(i, faces.box)) < 2) return;
    sum.weight += points.weight(i);
    sum.mass += points.weight(i) * share(i, e);
  });
  if (edges.weight > 0) sums.known.weight += sums.edge_weight * edges.mass / edges.weight;
  return sums.known;
}

}  // namespace skde

#include "support/references/boundary_reference.hpp"
#include "support/cells.hpp"

#include <algorithm>
#include <cmath>

#include "support/references/direct_kernel.hpp"

namespace skde::test {
namespace {

/// Returns a coordinate in copy number k of the box; every second copy is mirrored if it reflects.
double seen_in(double place, int k, double lower, double upper, Boundary boundary) {
  const double extent = upper - lower;
  if (boundary == Boundary::reflect && k % 2 != 0) place = lower + upper - place;
  return place + k * extent;
}

bool is_outside(const BoundaryCase& of, const Box& box, const double* sample) {
  for (int axis = 0; axis < 3; ++axis) {
    const Boundary b = of.boundaries[static_cast<std::size_t>(axis)];
    const bool ends = b == Boundary::reflect || b == Boundary::renormalize;
    if (ends && (sample[axis] < box.lower[axis] || sample[axis] > box.upper[axis])) return true;
  }
  return false;
}

/// Returns the integral of the kernel between the faces that renormalise.
double mass_between(const BoundaryCase& of, const Box& box, const DirectKernel& kernel,
                    const Symmetric3& H, const double* sample) {
  constexpr int kSteps = 64;
  const double wide = of.kernel == KernelFunction::gaussian ? 6 : 1;
  double from[3], step[3], sum = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const double half = wide * std::sqrt(H(axis, axis));
    double to = half;
    from[axis] = -half;
    if (of.boundaries[static_cast<std::size_t>(axis)] == Boundary::renormalize) {
      from[axis] = std::max(from[axis], box.lower[axis] - sample[axis]);
      to = std::min(to, box.upper[axis] - sample[axis]);
    }
    step[axis] = (to - from[axis]) / kSteps;
  }
  for (int i = 0; i < kSteps; ++i)
    for (int j = 0; j < kSteps; ++j)
      for (int k = 0; k < kSteps; ++k)
        sum += kernel.at({from[0] + (i + 0.5) * step[0], from[1] + (j + 0.5) * step[1],
                          from[2] + (k + 0.5) * step[2]});
  return sum * step[0] * step[1] * step[2];
}

/// Returns how many copies of the box on each side a kernel with this H can reach, from the box or
/// from just outside it.
int copies_along(const BoundaryCase& of, const Box& box, const Symmetric3& H, int axis) {
  const Boundary b = of.boundaries[static_cast<std::size_t>(axis)];
  if (b != Boundary::reflect && b != Boundary::periodic) return 0;
  const double wide = of.kernel == KernelFunction::gaussian ? 7 : 1;
  return 2 + static_cast<int>(wide * std::sqrt(H(axis, axis)) / box.extent()[axis]);
}

}  // namespace

double boundary_density_work(const BoundaryCase& of) {
  double work = static_cast<double>(of.cloud.size()) * static_cast<double>(of.grid.cells());
  for (int axis = 0; axis < 3; ++axis)
    work *= 1 + 2 * copies_along(of, of.grid.bounds(), of.H, axis);
  return work;
}

std::vector<double> boundary_density(const BoundaryCase& of) {
  std::vector<Vec3> centres;
  centres.reserve(static_cast<std::size_t>(of.grid.cells()));
  for (const auto& [x, y, z] : cells_of(of.grid.dims)) centres.push_back(of.grid.centre(x, y, z));
  return boundary_density_at(of, centres);
}

std::vector<double> boundary_density_at(const BoundaryCase& of, std::span<const Vec3> places) {
  const Box box = of.grid.bounds();
  const SamplesView points = of.cloud.view();
  std::vector<double> values(places.size());
  double total = 0;
  for (std::size_t i = 0; i < points.size(); ++i) total += points.weight(i);
  const bool divides =
      std::ranges::find(of.boundaries, Boundary::renormalize) != of.boundaries.end();
  for (std::size_t n = 0; n < points.size(); ++n) {
    const double* const sample = &points.xyz[3 * n];
    if (is_outside(of, box, sample)) continue;
    const Symmetric3 H = points.shapes.empty()
                             ? (points.bandwidth_factor(n) * points.bandwidth_factor(n)) * of.H
                             : points.shape(n);
    const auto copies = [&](int axis) { return copies_along(of, box, H, axis); };
    const double mass = divides ? mass_between(of, box, DirectKernel(of.kernel, H), H, sample) : 1;
    for (int a = -copies(0); a <= copies(0); ++a)
      for (int b = -copies(1); b <= copies(1); ++b)
        for (int c = -copies(2); c <= copies(2); ++c) {
          const int k[3] = {a, b, c};
          double sign[3], place[3];
          for (int axis = 0; axis < 3; ++axis) {
            const Boundary boundary = of.boundaries[static_cast<std::size_t>(axis)];
            sign[axis] = boundary == Boundary::reflect && k[axis] % 2 != 0 ? -1 : 1;
            place[axis] =
                seen_in(sample[axis], k[axis], box.lower[axis], box.upper[axis], boundary);
          }
          const DirectKernel kernel(of.kernel,
                                    {H.xx, sign[0] * sign[1] * H.xy, sign[0] * sign[2] * H.xz, H.yy,
                                     sign[1] * sign[2] * H.yz, H.zz});
          const double weight = points.weight(n) / mass / total;
          for (std::size_t at = 0; at < places.size(); ++at)
            values[at] += weight * kernel.at({places[at].x - place[0], places[at].y - place[1],
                                              places[at].z - place[2]});
        }
  }
  return values;
}

}  // namespace skde::test

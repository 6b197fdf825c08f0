#include "estimate/read/boundary_images.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/report/error.hpp"
#include "core/report/thread_room.hpp"

namespace skde {
namespace {

/// Returns H with some axes reversed, one bit for each.
Symmetric3 mirrored(const Symmetric3& H, unsigned axes) {
  const auto sign = [&](unsigned a, unsigned b) {
    return ((axes >> a ^ axes >> b) & 1U) != 0 ? -1.0 : 1.0;
  };
  return {H.xx, sign(0, 1) * H.xy, sign(0, 2) * H.xz, H.yy, sign(1, 2) * H.yz, H.zz};
}

/// Returns the most images that a sample can have. Throws Error(usage) if they are too many.
std::size_t require_few(const Boundaries& boundaries, const Box& box, Vec3 reach) {
  constexpr double kMost = 4096;
  double images = 1, widest = 0;
  int axis = 0;
  for (int a = 0; a < 3; ++a) {
    const Boundary boundary = boundaries[static_cast<std::size_t>(a)];
    if (!mirrors(boundary) && boundary != Boundary::periodic) continue;
    const double boxes = reach[a] / box.extent()[a];
    images *= 1 + 2 * std::ceil(boxes);
    if (boxes > widest) axis = a;
    widest = std::max(widest, boxes);
  }
  if (images <= kMost) return static_cast<std::size_t>(images);
  throw Error(ErrorKind::usage,
              fmt::format("kernels reach over {:.3g} times the length of the box along {}, so each "
                          "sample has {:.3g} images",
                          widest, kAxisNames[static_cast<std::size_t>(axis)], images),
              {"boundary", "use a smaller `bandwidth`, or `boundary=none` along that axis"});
}

}  // namespace

BoundaryImages::BoundaryImages(const Boundaries& boundaries, const Problem& problem, Vec3 reach)
    : boundaries_(boundaries),
      grid_(problem.grid()),
      box_(grid_.bounds()),
      shapes_(problem.kernel, grid_, problem.min_width),
      mass_(problem.kernel),
      divides_(skde::divides(boundaries)),
      common_reach_(problem.kernel.half_extents()) {
  most_images_ = require_few(boundaries, box_, reach);
  const Symmetric3& H = problem.kernel.H;
  for (unsigned axes = 0; axes < pass_of_.size(); ++axes) {
    bool happens = true;
    for (unsigned a = 0; a < 3; ++a)
      happens = happens && ((axes >> a & 1U) == 0 || mirrors(boundaries[a]));
    if (!happens) continue;
    const Symmetric3 kernel = mirrored(H, axes);
    const auto found = std::ranges::find(kernels_, kernel);
    pass_of_[axes] = static_cast<std::size_t>(found - kernels_.begin());
    if (found == kernels_.end()) kernels_.push_back(kernel);
  }
}

bool BoundaryImages::keeps(const Box& cloud) const {
  if (divides_) return false;
  for (int axis = 0; axis < 3; ++axis)
    if (boundaries_[static_cast<std::size_t>(axis)] != Boundary::none &&
        !(is_between(cloud.lower[axis], box_.lower[axis], box_.upper[axis]) &&
          is_between(cloud.upper[axis], box_.lower[axis], box_.upper[axis])))
      return false;
  return true;
}

bool BoundaryImages::leaves_out(Vec3 at) const { return is_beyond_faces(boundaries_, box_, at); }

void BoundaryImages::images_along(int axis, double place, double reach,
                                  std::vector<Image>& to) const {
  to.clear();
  const Boundary boundary = boundaries_[static_cast<std::size_t>(axis)];
  const double lower = box_.lower[axis], upper = box_.upper[axis], extent = upper - lower;
  const bool shifts = boundary == Boundary::periodic, inside = is_between(place, lower, upper);
  if (ends_at_faces(boundary) && !inside) return;
  if (shifts && !inside) place -= extent * std::floor((place - lower) / extent);
  to.push_back({place, false});
  if (!shifts && !mirrors(boundary)) return;
  const double period = shifts ? extent : 2 * extent;
  const auto add = [&](double first, bool mirrored) {  // images at first + k period, within reach
    const double from = lower - reach, end = upper + reach;
    for (double k = std::ceil((from - first) / period); first + k * period < end; ++k) {
      const double at = first + k * period;
      if (at > from && (mirrored || k != 0)) to.push_back({at, mirrored});
    }
  };
  add(place, false);
  if (!shifts) add(2 * lower - place, true);
}

double BoundaryImages::divisor(const SamplesView& points, std::size_t i) const {
  constexpr double kLeast = 1e-7;  // below this, rounding leaves too few digits
  const double share = share_inside(shapes_.of(points, i).ellipsoid, points.point(i));
  if (share >= kLeast) return share;
  throw Error(ErrorKind::input,
              fmt::format("the kernel of sample {} (from 0) has almost none of its mass within the "
                          "box, and `boundary=renormalize` divides by that mass",
                          i),
              {"boundary", "use a smaller `bandwidth`, or `boundary=reflect`"});
}

/// Returns the share of a sample's kernel mass between the faces that renormalise.
double BoundaryImages::share_inside(const Ellipsoid<double>& ellipsoid, Vec3 at) const {
  constexpr double kFar = std::numeric_limits<double>::infinity();
  Box box{{-kFar, -kFar, -kFar}, {kFar, kFar, kFar}};
  for (int axis = 0; axis < 3; ++axis) {
    if (boundaries_[static_cast<std::size_t>(axis)] != Boundary::renormalize) continue;
    box.lower[axis] = (box_.lower[axis] - at[axis]) / grid_.spacing[axis];
    box.upper[axis] = (box_.upper[axis] - at[axis]) / grid_.spacing[axis];
  }
  return mass_.in_box(ellipsoid, box);
}

/// Kernels are log-concave; so is the mass of a kernel in the box, as a function of its place
/// (Prekopa). It is therefore least at a corner.
double BoundaryImages::growth() const {
  double least = 1;
  for (unsigned corner = 0; divides_ && corner < 8; ++corner) {
    Vec3 at;
    for (int axis = 0; axis < 3; ++axis)
      at[axis] = (corner >> axis & 1U) != 0 ? box_.upper[axis] : box_.lower[axis];
    constexpr double kLeast = 1e-9;  // for needles across a corner
    least = std::min(least, std::max(kLeast, share_inside(shapes_.common().ellipsoid, at)));
  }
  constexpr double kSlack = 1.01;  // for samples that rounding puts beyond a corner
  return static_cast<double>(most_images_) * (divides_ ? kSlack / least : 1);
}

void BoundaryImages::append_all(const SamplesView& points, std::size_t pass, Which which,
                                std::vector<Samples>& scratch, Samples& to) const {
  constexpr std::size_t kBlocks = 64;
  const std::size_t block = std::max<std::size_t>(1, (points.size() + kBlocks - 1) / kBlocks),
                    blocks = (points.size() + block - 1) / block;
  scratch.resize(std::max(scratch.size(), blocks));
  FirstFailure failure;
#pragma omp parallel for schedule(dynamic, 1)
  for (std::size_t b = 0; b < blocks; ++b)
    failure.keep([&] {
      scratch[b].clear();
      for (std::size_t i = b * block; i < std::min((b + 1) * block, points.size()); ++i)
        append(points, i, pass, which, scratch[b]);
    });
  failure.rethrow();
  for (std::size_t b = 0; b < blocks; ++b) append_samples(to, scratch[b].view());
}

void BoundaryImages::append(const SamplesView& points, std::size_t i, std::size_t pass, Which which,
                            Samples& to) const {
  thread_local std::array<std::vector<Image>, 3> along;
  Vec3 reach = common_reach_;
  if (points.shaped()) {
    const Vec3 cells = shapes_.reach_of(points, i);
    for (int axis = 0; axis < 3; ++axis) reach[axis] = cells[axis] * grid_.spacing[axis];
  }
  const Vec3 at = points.point(i);
  for (int axis = 0; axis < 3; ++axis) {
    images_along(axis, at[axis], further_ * reach[axis], along[static_cast<std::size_t>(axis)]);
    if (along[static_cast<std::size_t>(axis)].empty()) return;
  }
  const bool own_matrix = !points.shapes.empty();
  double weight = 0;  // set once there is an image
  bool is_first = true;
  for (const Image& z : along[2])
    for (const Image& y : along[1])
      for (const Image& x : along[0]) {
        const bool skipped = std::exchange(is_first, false) && which == Which::others;
        const unsigned axes =
            (x.mirrored ? 1U : 0U) | (y.mirrored ? 2U : 0U) | (z.mirrored ? 4U : 0U);
        if (skipped || (own_matrix ? pass != 0 : pass_of_[axes] != pass)) continue;
        if (weight == 0) weight = points.weight(i) / (divides_ ? divisor(points, i) : 1);
        to.xyz.insert(to.xyz.end(), {x.place, y.place, z.place});
        if (points.weighted() || divides_) to.weights.push_back(weight);
        if (!points.bandwidth_factors.empty())
          to.bandwidth_factors.push_back(points.bandwidth_factor(i));
        if (!own_matrix) continue;
        const Symmetric3 m = mirrored(points.shape(i), axes);
        to.shapes.insert(to.shapes.end(), {m.xx, m.xy, m.xz, m.yy, m.yz, m.zz});
      }
}

std::optional<BoundaryImages> images_of(const PartialProblem& partial) {
  if (!has_boundary(partial.boundaries)) return std::nullopt;
  Problem problem;
  problem.kernel = partial.kernel;
  problem.target = partial.grid;
  return BoundaryImages(partial.boundaries, problem, partial.kernel.half_extents());
}

double image_bytes(const PartialProblem& problem, double engine_bytes) {
  constexpr double kImageBytes = 2 * 4 * sizeof(double);  // including those being made
  return has_boundary(problem.boundaries)
             ? (kImageBytes + engine_bytes) * static_cast<double>(kImagesAtOnce)
             : 0;
}

}  // namespace skde

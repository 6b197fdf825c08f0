#include "analysis/density_sampler.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "bandwidth/data_driven_bandwidth.hpp"
#include "core/report/error.hpp"
#include "core/report/thread_room.hpp"
#include "core/space/grid.hpp"
#include "estimate/read/piloted_cloud.hpp"
#include "system/host_memory.hpp"

namespace skde {
namespace {

constexpr std::uint64_t kDensityDraws = 201;  // number of the stream: never reuse it

/// Returns L z, where L is the lower triangle with L L^T = H.
Vec3 stretched(const Symmetric3& H, Vec3 z) {
  const auto over = [](double a, double b) { return b > 0 ? a / b : 0.0; };
  const auto root = [](double a) { return a > 0 ? std::sqrt(a) : 0.0; };
  const double xx = root(H.xx), yx = over(H.xy, xx), zx = over(H.xz, xx);
  const double yy = root(H.yy - yx * yx), zy = over(H.yz - zx * yx, yy);
  const double zz = root(H.zz - zx * zx - zy * zy);
  return {xx * z.x, yx * z.x + yy * z.y, zx * z.x + zy * z.y + zz * z.z};
}

}  // namespace

SummedKernels summed_kernels(std::shared_ptr<const SampleCloud> cloud,
                             const DensityRequest& request, std::string_view what,
                             Progress& progress) {
  refuse_linear_faces(request, what);
  refuse_signed_weights(cloud->files.columns, std::string(what) + " need");
  const auto room = static_cast<double>(available_memory());
  DensitySetup setup = set_up_density(
      request, cloud->moments, cloud->inner_bounds, grid_ahead(request), cloud->shapes,
      data_driven_where_asked(cloud->points, cloud->moments, request.data_driven(),
                              request.data_driven_effort(room), progress));
  if (request.has_pilot()) {
    require_pilot(request, cloud->points.shaped());
    cloud = piloted_cloud(cloud, pilot_spec(request, setup.kernel, setup.grid),
                          request.options.threads, progress);
  }
  return {std::move(cloud), std::move(setup)};
}

DensitySampler::DensitySampler(std::shared_ptr<const SampleCloud> cloud,
                               const DensityRequest& request, std::uint64_t seed,
                               Progress& progress)
    : request_(request), random_(seed, kDensityDraws) {
  SummedKernels kernels = summed_kernels(std::move(cloud), request_, "draws", progress);
  cloud_ = std::move(kernels.cloud);
  setup_ = std::move(kernels.setup);
  box_ = setup_.grid.bounds();
  add_up_weights();
}

void DensitySampler::add_up_weights() {
  const SamplesView& points = cloud_->points;
  std::vector<double> sums(points.size());
  double sum = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const bool kept = !is_beyond_faces(request_.boundaries, box_, points.point(i));
    left_out_ += kept ? 0 : 1;
    sums[i] = sum += kept ? points.weight(i) : 0;
  }
  if (!(sum > 0))
    throw Error(ErrorKind::input, "no sample with a weight above 0 is within the box",
                {"bounds", "give `bounds` that hold samples"});
  if (points.weighted() || left_out_ > 0) up_to_ = std::move(sums);
}

/// Returns the sample at a share of the sum of weights.
std::size_t DensitySampler::sample_of(double share) const {
  const std::size_t count = cloud_->points.size();
  if (up_to_.empty())
    return std::min(count - 1, static_cast<std::size_t>(share * static_cast<double>(count)));
  const auto found = std::upper_bound(up_to_.begin(), up_to_.end(), share * up_to_.back());
  if (found != up_to_.end()) return static_cast<std::size_t>(found - up_to_.begin());
  // The product was rounded up to the whole sum: returns the last sample that has a weight.
  return static_cast<std::size_t>(std::lower_bound(up_to_.begin(), up_to_.end(), up_to_.back()) -
                                  up_to_.begin());
}

/// Moves a draw as the boundaries require; false if it must be drawn again.
bool DensitySampler::is_kept(Vec3& place) const {
  for (int axis = 0; axis < 3; ++axis) {
    const Boundary boundary = request_.boundaries[static_cast<std::size_t>(axis)];
    const double lower = box_.lower[axis], upper = box_.upper[axis];
    if (boundary == Boundary::renormalize && !(place[axis] >= lower && place[axis] <= upper))
      return false;
    place[axis] = settled_place(boundary, place[axis], lower, upper);
  }
  return true;
}

Vec3 DensitySampler::place_of(std::uint64_t index) const {
  constexpr int kMostTries = 1000000;
  Draws draws = random_.at(index);
  const SamplesView& points = cloud_->points;
  const std::size_t i = sample_of(draws.uniform());
  const Symmetric3 H = points.shapes.empty() ? setup_.kernel.H : points.shape(i);
  for (int tries = 0; tries < kMostTries; ++tries) {
    const Vec3 drawn = setup_.kernel.function->draw(draws);
    Vec3 place = points.point(i) + points.bandwidth_factor(i) * stretched(H, drawn);
    if (is_kept(place)) return place;
  }
  throw Error(
      ErrorKind::input,
      fmt::format("the kernel of sample {} (from 0) has almost none of its mass within the box", i),
      {"boundary", "use a smaller `bandwidth`, or `boundary=reflect`"});
}

Samples DensitySampler::draw(std::uint64_t first, std::uint64_t count) const {
  Samples drawn;
  drawn.xyz.resize(3 * count);
  FirstFailure failure;
  const auto size = static_cast<std::int64_t>(count);
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < size; ++i) {
    if (failure.any()) continue;
    failure.keep([&] {
      const Vec3 place = place_of(first + static_cast<std::uint64_t>(i));
      double* const to = drawn.xyz.data() + 3 * i;
      to[0] = place.x;
      to[1] = place.y;
      to[2] = place.z;
    });
  }
  failure.rethrow();
  return drawn;
}

void DensitySampler::draw_each(std::uint64_t count, const std::function<void(Samples)>& use,
                               Progress& progress) const {
  constexpr std::uint64_t kAtOnce = 1 << 16;
  progress.begin("drawing", count, "samples");
  for (std::uint64_t first = 0; first < count; first += kAtOnce) {
    progress.throw_if_cancelled();
    const std::uint64_t next = std::min(kAtOnce, count - first);
    use(draw(first, next));
    progress.update(first + next);
  }
  progress.throw_if_cancelled();
}

}  // namespace skde

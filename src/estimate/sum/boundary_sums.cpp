#include "estimate/sum/boundary_sums.hpp"

#include <algorithm>

#include "core/report/thread_room.hpp"
#include "engines/registry/registry.hpp"

namespace skde {
namespace {

/// Images made at a time.
constexpr std::size_t kImagesAtOnce = std::size_t{1} << 20;

}  // namespace

std::optional<BoundaryImages> images_of(const PartialProblem& partial) {
  if (!has_boundary(partial.boundaries)) return std::nullopt;
  Problem problem;
  problem.kernel = partial.kernel;
  problem.target = partial.grid;
  return BoundaryImages(partial.boundaries, problem, partial.kernel.half_extents());
}

std::uint64_t count_beyond(const BoundaryImages& images, const SamplesView& points) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < points.size(); ++i) count += images.leaves_out(points.point(i));
  return count;
}

ExactSum weight_outside(const BoxMass& mass, const SamplesView& points, int threads) {
  ExactSum sum;
#pragma omp parallel num_threads(thread_count(threads))
  {
    ExactSum own;
#pragma omp for schedule(dynamic, 256)
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double weight = points.weight(i), inside = weight > 0 ? mass.inside(points, i) : 1;
      if (!(inside < 1)) continue;
      own.add(weight);
      own.add_product(-weight, inside);
    }
#pragma omp critical(skde_weight_outside)
    sum.merge(own);
  }
  return sum;
}

double image_bytes(const PartialProblem& problem, double engine_bytes) {
  constexpr double kImageBytes = 2 * 4 * sizeof(double);  // including those being made
  return has_boundary(problem.boundaries)
             ? (kImageBytes + engine_bytes) * static_cast<double>(kImagesAtOnce)
             : 0;
}

BoundarySums::BoundarySums(const PartialProblem& problem, std::string_view engine,
                           const EngineOptions& options, SliceRange slices)
    : sums_(make_integer_sums(engine, problem, slices, options)),
      images_(images_of(problem)),
      mass_(problem.kernel, problem.grid.bounds(), problem.boundaries),
      threads_(options.threads) {}

void BoundarySums::change(const SamplesView& points, bool leave, Progress& progress) {
  const auto change_sums = [&](const SamplesView& some) {
    leave ? sums_->subtract(some, progress) : sums_->add(some, progress);
  };
  for (const double part : weight_outside(mass_, points, threads_).parts())
    outside_.add(leave ? -part : part);
  if (!images_) return change_sums(points);
  const std::size_t round =
      std::max<std::size_t>(1, kImagesAtOnce / std::max<std::size_t>(1, images_->most_images()));
  for (std::size_t pass = 0; pass < images_->passes(); ++pass) {
    sums_->use_matrix(images_->matrix(pass));
    for (std::size_t begin = 0; begin < points.size(); begin += round) {
      progress.throw_if_cancelled();
      made_.clear();
      images_->append_all(points.slice(begin, std::min(round, points.size() - begin)), pass,
                          BoundaryImages::Which::all, scratch_, made_);
      change_sums(made_.view());
    }
  }
  const std::uint64_t beyond = count_beyond(*images_, points);
  leave ? beyond_ -= beyond : beyond_ += beyond;
}

}  // namespace skde

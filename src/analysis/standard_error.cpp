#include "analysis/standard_error.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/kernel/sample_shapes.hpp"
#include "core/report/error.hpp"
#include "engines/registry/registry.hpp"
#include "estimate/read/boundary_images.hpp"
#include "estimate/read/cloud.hpp"
#include "estimate/session.hpp"
#include "estimate/values/density_setup.hpp"
#include "estimate/values/slice_sink.hpp"
#include "system/stop_watch.hpp"

namespace skde {
namespace {

[[noreturn]] void refuse(std::string why, std::string mend) {
  throw Error(ErrorKind::usage, std::move(why), {"standard_error", std::move(mend)});
}

/// A kernel squared: the roughness of the kernel times the kernel `function` of H times `scale`.
struct KernelSquare {
  KernelFunction function;
  double scale = 1;
};

/// Returns none if the square is no row of the table. (1 - q)^p has the square (1 - q)^(2p).
std::optional<KernelSquare> square_of(KernelFunction function) {
  if (function == KernelFunction::uniform) return KernelSquare{function};
  if (function == KernelFunction::epanechnikov) return KernelSquare{KernelFunction::biweight};
  if (function == KernelFunction::gaussian) return KernelSquare{function, 0.5};
  if (function == KernelFunction::exponential) return KernelSquare{function, 0.25};
  return std::nullopt;
}

/// Returns 1 / sqrt(det H).
double inverse_root(const Symmetric3& H) {
  return Kernel{{}, H}.amplitude() / KernelFunction()->constant;
}

/// Appends the products of the kernels of each sample's images, two by two: samples of squared
/// kernels. The product of two Gaussians of one H is exp(-d^T H^-1 d / 4) times the square of one
/// in the middle.
void append_products(const SamplesView& points, const DensityFacts& facts, Samples& to) {
  constexpr double kLeast = 1e-20;  // of a product, as a share of a square
  const BoundaryImages images(facts.boundaries, facts.problem, facts.reach);
  if (images.passes() > 1)
    refuse(
        "a mirrored kernel has another H than its sample, as its axes are tilted against the "
        "faces, and their product is not a kernel",
        "use `covariance=diag`, or other faces with `boundary`");
  const Symmetric3& H = facts.kernel.H;
  const auto ellipsoid = ellipsoid_of(H.xx, H.xy, H.xz, H.yy, H.yz, H.zz);
  const double reach = 2 * facts.kernel.cut();  // at this distance, two kernels no longer meet
  Samples mine;
  for (std::size_t i = 0; i < points.size(); ++i) {
    mine.clear();
    images.append(points, i, 0, BoundaryImages::Which::all, mine);
    const SamplesView own = mine.view();
    for (std::size_t a = 0; a < own.size(); ++a)
      for (std::size_t b = a; b < own.size(); ++b) {
        const Vec3 d = own.point(a) - own.point(b), middle = 0.5 * (own.point(a) + own.point(b));
        const double d2 = ellipsoid.q(d.x, d.y, d.z);
        if (d2 >= reach * reach) continue;
        if (a != b && facts.kernel.function != KernelFunction::gaussian)
          refuse(fmt::format("the kernels of a sample and its image overlap, and the product of "
                             "two {} kernels at different places is not a kernel",
                             facts.kernel.function->name),
                 "use `kernel=gaussian`, `boundary=renormalize` or `boundary=none`");
        const double share = (a == b ? 1 : 2) * std::exp(-d2 / 4);
        if (share < kLeast) continue;
        to.xyz.insert(to.xyz.end(), {middle.x, middle.y, middle.z});
        to.weights.push_back(share * own.weight(a) * own.weight(b));
      }
  }
}

/// Appends the squares of kernels with an H of their own, which keeps the shape that it had on the
/// grid of the density.
void append_shaped(const SamplesView& points, const DensityFacts& facts, double scale,
                   Samples& to) {
  const SampleShapes shapes(facts.kernel, facts.grid, facts.min_width);
  to.xyz.assign(points.xyz.begin(), points.xyz.end());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Symmetric3 H = shapes.matrix_of(points, i), m = scale * H;
    to.shapes.insert(to.shapes.end(), {m.xx, m.xy, m.xz, m.yy, m.yz, m.zz});
    const double weight = points.weight(i);
    to.weights.push_back(weight * weight * inverse_root(H));
  }
}

/// Returns samples of squared kernels, and sets their amplitude: the sum of squares at a place is
/// `amplitude` times the density of these samples there.
Samples squared_samples(const SamplesView& points, const DensityFacts& facts, double scale,
                        double& amplitude) {
  Samples squared;
  amplitude = facts.kernel.function->roughness;
  if (points.shaped()) {
    append_shaped(points, facts, scale, squared);
  } else {
    amplitude *= inverse_root(facts.kernel.H);
    if (has_boundary(facts.boundaries)) {
      append_products(points, facts, squared);
    } else {
      squared.xyz.assign(points.xyz.begin(), points.xyz.end());
      for (const double weight : points.weights) squared.weights.push_back(weight * weight);
    }
  }
  double sum = 0;
  for (std::size_t i = 0; i < squared.size(); ++i) sum += squared.view().weight(i);
  amplitude *= sum;
  return squared;
}

/// Returns the request for the density of squared kernels. Its cut is where the kernels end.
DensityRequest squared_request(const DensityFacts& facts, const KernelSquare& square) {
  constexpr double kLeastCut = 1e-30;  // what requests take
  DensityRequest request;
  request.kernel = square.function;
  request.bandwidth.bandwidth = square.scale * facts.kernel.H;
  request.like = facts.grid;
  request.precision = Precision::f64;
  request.min_width = 0;
  request.tolerance = facts.request.tolerance * facts.request.tolerance;
  if (!square.function->is_bounded())
    request.tolerance = std::max(
        kLeastCut, 2 * square.function->cut_error(facts.kernel.cut() / std::sqrt(square.scale)));
  request.options = facts.request.options;
  request.device = facts.request.device;
  if (!facts.request.is_automatic())
    request.device = engine_entry(facts.request.engine).traits.device;
  return request;
}

/// Returns sqrt(scale * squares - f^2 / n_eff), cell by cell.
Volume errors_of(const Volume& density, const Volume& squares, double scale, double samples) {
  Volume errors(density.grid(), density.precision());
  const std::span<const double> sums = squares.values<double>();
  std::visit(
      [&]<class Real>(std::span<const Real> values) {
        const std::span<Real> found = errors.values<Real>();
#pragma omp parallel for schedule(static)
        for (std::size_t i = 0; i < sums.size(); ++i) {
          const auto value = static_cast<double>(values[i]);
          const double variance = scale * sums[i] - value * value / samples;
          found[i] = static_cast<Real>(std::sqrt(std::max(0.0, variance)));
        }
      },
      density.value_span());
  return errors;
}

}  // namespace

void require_standard_error(const DensityRequest& request) {
  refuse_means(request, "values with standard errors");
  if (!square_of(request.kernel))
    refuse(fmt::format("the square of the {} kernel is not a known kernel", request.kernel->name),
           "use `kernel=epanechnikov` or `kernel=gaussian`");
  if (request.has_pilot())
    refuse("the standard error takes kernels as given, not as they follow from all samples",
           request.adaptive ? "leave out `adaptive`" : "leave out `sharpen`");
  if (is_linear(request.boundaries))
    refuse("values that are corrected at faces have the error of their slope, too",
           "use `boundary=reflect`");
  if (request.normalization == Normalization::box)
    refuse("values that are divided by the mass in the box have the error of that mass, too",
           "leave out `normalize=box`");
}

std::pair<Volume, StandardErrorFacts> standard_errors(
    const std::shared_ptr<const SampleCloud>& cloud, const DensityFacts& facts,
    const Volume& density, std::int64_t memory_limit, Progress& progress) {
  const StopWatch watch;
  require_standard_error(facts.request);
  if (!cloud)
    throw Error(ErrorKind::resources,
                "the standard error needs all samples in memory, and they do not fit",
                {"memory_limit", "raise `memory_limit`, or leave out `standard_error`"});
  refuse_signed_weights(cloud->files.columns, "standard errors need");
  if (cloud->points.shaped() && has_boundary(facts.boundaries))
    refuse("images of samples with bandwidths of their own have no standard error",
           "leave out `boundary`");
  const KernelSquare square = *square_of(facts.kernel.function);
  double amplitude = 0;
  Samples squared = squared_samples(cloud->points, facts, square.scale, amplitude);
  SessionOptions options;
  if (memory_limit > 0)
    options.memory_limit =
        std::max<std::int64_t>(1, memory_limit - density.grid().bytes(density.precision()));
  Session session(options);
  session.open(std::move(squared));
  Density squares = session.compute(squared_request(facts, square), progress);
  const double total = facts.moments.total_weight(),
               unit = facts.normalization == Normalization::count ? 1 : total;
  Volume errors = errors_of(density, squares.volume(), amplitude / (unit * unit),
                            facts.moments.effective_samples());
  StandardErrorFacts found{errors.maximum(), squares.facts().engine, watch.seconds()};
  return {std::move(errors), std::move(found)};
}

std::pair<DensityFacts, StandardErrorFacts> stream_with_errors(Session& session,
                                                               const DensityPlan& plan,
                                                               std::int64_t memory_limit,
                                                               SliceSink& to, Progress& progress) {
  to.expect(plan.grid, plan.precision);
  Density density = session.compute(plan, progress);
  to.begin(density.facts());
  to.take(0, density.volume(), progress);
  auto [errors, found] =
      standard_errors(session.cloud(), density.facts(), density.volume(), memory_limit, progress);
  to.take(plan.grid.dims[2], errors, progress);
  to.finish(density.facts(), progress);
  return {density.facts(), std::move(found)};
}

}  // namespace skde

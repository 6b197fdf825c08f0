#include "analysis/standard_error.hpp"

#include <cmath>
#include <memory>
#include <random>

#include "estimate/session.hpp"
#include "estimate/values/density_facts.hpp"
#include "support/catch.hpp"
#include "support/cells.hpp"
#include "support/opened_sessions.hpp"
#include "support/references/direct_kernel.hpp"
#include "support/references/direct_sums.hpp"
#include "support/silent.hpp"
#include "support/thrown_error.hpp"
#include "support/volume_comparison.hpp"

namespace skde {
namespace {

using test::DirectKernel;

/// A density and its standard errors by skde.
struct Estimate {
  Volume density, errors;
};

Estimate estimate(const Samples& samples, const DensityRequest& request) {
  Session session = test::session_with(samples.view());
  Density density = session.compute(request, test::silent);
  Volume errors =
      standard_errors(session.cloud(), density.facts(), density.volume(), 0, test::silent).first;
  return {density.take_volume(), std::move(errors)};
}

/// The kernel of every sample, with all its images, at every cell: (sample, cell).
using Kernels = std::vector<std::vector<double>>;

/// Places of a sample's images along an axis of the box from 0 to 1, and its divisor there.
std::vector<double> images(Boundary boundary, double place, double deviation, double& divisor) {
  std::vector<double> all{place};
  for (int k = -3; k <= 3; ++k) {
    if (boundary == Boundary::periodic && k != 0) all.push_back(place + k);
    if (boundary != Boundary::reflect) continue;
    if (k != 0) all.push_back(place + 2 * k);
    all.push_back(2 * k - place);
  }
  if (boundary == Boundary::renormalize) {
    const double to = (1 - place) / deviation, from = -place / deviation;
    divisor *= 0.5 * (std::erf(to / std::sqrt(2.0)) - std::erf(from / std::sqrt(2.0)));
  }
  return all;
}

Kernels kernels_of(const Samples& samples, KernelFunction function, const Symmetric3& H,
                   const Boundaries& boundaries, const Grid& grid) {
  Kernels all;
  const SamplesView view = samples.view();
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const DirectKernel kernel(function, test::direct_matrix(view, H, i));
    double divisor = 1;
    std::vector<double> at[3];
    for (int a = 0; a < 3; ++a)
      at[a] = images(boundaries[static_cast<std::size_t>(a)], view.point(i)[a], std::sqrt(H(a, a)),
                     divisor);
    std::vector<double>& cells = all.emplace_back();
    for (const auto& [x, y, z] : cells_of(grid.dims)) {
      const Vec3 centre = grid.centre(x, y, z);
      double sum = 0;
      for (const double px : at[0])
        for (const double py : at[1])
          for (const double pz : at[2])
            sum += kernel.at({centre.x - px, centre.y - py, centre.z - pz});
      cells.push_back(sum / divisor);
    }
  }
  return all;
}

/// The formula, by plain sums.
std::vector<double> errors_by_definition(const Kernels& kernels, const Samples& samples) {
  double total = 0, squares = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    total += samples.view().weight(i);
    squares += std::pow(samples.view().weight(i), 2);
  }
  std::vector<double> errors;
  for (std::size_t cell = 0; cell < kernels[0].size(); ++cell) {
    double f = 0, of_squares = 0;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const double term = samples.view().weight(i) * kernels[i][cell] / total;
      f += term;
      of_squares += term * term;
    }
    errors.push_back(std::sqrt(std::max(0.0, of_squares - f * f * squares / (total * total))));
  }
  return errors;
}

/// The root of the mean variance of the cells, over bootstrap densities of as many samples.
double bootstrap_error(const Kernels& kernels, const Samples& samples, int times) {
  std::mt19937_64 random(7);
  std::uniform_int_distribution<std::size_t> choose(0, samples.size() - 1);
  const std::size_t cells = kernels[0].size();
  std::vector<double> sum(cells), square(cells), f(cells);
  for (int t = 0; t < times; ++t) {
    std::fill(f.begin(), f.end(), 0.0);
    double total = 0;
    for (std::size_t k = 0; k < samples.size(); ++k) {
      const std::size_t i = choose(random);
      const double weight = samples.view().weight(i);
      total += weight;
      for (std::size_t cell = 0; cell < cells; ++cell) f[cell] += weight * kernels[i][cell];
    }
    for (std::size_t cell = 0; cell < cells; ++cell) {
      sum[cell] += f[cell] / total;
      square[cell] += std::pow(f[cell] / total, 2);
    }
  }
  double variance = 0;
  for (std::size_t cell = 0; cell < cells; ++cell)
    variance += (square[cell] - sum[cell] * sum[cell] / times) / (times - 1);
  return std::sqrt(variance / static_cast<double>(cells));
}

double root_mean_square(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return std::sqrt(sum / static_cast<double>(values.size()));
}

Samples random_samples(std::mt19937_64& random, std::size_t count, bool weighted) {
  std::uniform_real_distribution<double> place(0, 1);
  Samples samples;
  for (std::size_t i = 0; i < count; ++i) {
    samples.xyz.insert(samples.xyz.end(),
                       {place(random), std::pow(place(random), 2), std::pow(place(random), 1.5)});
    if (weighted) samples.weights.push_back(0.2 + place(random));
  }
  return samples;
}

DensityRequest request_of(KernelFunction kernel, const Symmetric3& H, const Boundaries& boundaries,
                          std::array<std::int64_t, 3> dims) {
  DensityRequest request{.kernel = kernel,
                         .bandwidth = {.bandwidth = H},
                         .grid = {.bounds = Box{{0, 0, 0}, {1, 1, 1}}, .dims = dims},
                         .boundaries = boundaries,
                         .precision = Precision::f64,
                         .min_width = 0};
  if (!kernel->is_bounded()) request.tolerance = 1e-12;
  return request;
}

/// Checks the errors of kernels of H, or of the samples' own shapes, in the box from 0 to 1.
void check_errors(const Samples& samples, KernelFunction kernel, const Symmetric3& H,
                  const Boundaries& boundaries, std::array<std::int64_t, 3> dims) {
  INFO(kernel->name << ", " << boundaries_text(boundaries));
  DensityRequest request = request_of(kernel, H, boundaries, dims);
  if (!samples.shapes.empty()) request.bandwidth = {};
  const Estimate found = estimate(samples, request);
  const Kernels kernels = kernels_of(samples, kernel, H, boundaries, found.density.grid());
  CHECK(test::relative_distance(found.errors, errors_by_definition(kernels, samples)) < 2e-6);
}

}  // namespace

TEST_CASE("Standard errors are those of plain sums, for tilted kernels, weights and any grid") {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> share(0, 1);
  constexpr std::array kKernels{KernelFunction::epanechnikov, KernelFunction::gaussian,
                                KernelFunction::exponential, KernelFunction::uniform};
  for (int round = 0; round < 300; ++round) {
    const KernelFunction kernel = kKernels[static_cast<std::size_t>(round % 4)];
    const double width = kernel->is_bounded() ? 0.35 : 0.08;
    Symmetric3 H = Symmetric3::diagonal(1 + share(random), 1 + share(random), 1 + share(random));
    H.xy = share(random) - 0.5;
    H.yz = share(random) - 0.5;
    H = (width * width) * H;
    const Samples samples =
        random_samples(random, 2 + static_cast<std::size_t>(40 * share(random)), round % 3 == 1);
    INFO("round " << round);
    check_errors(samples, kernel, H, {}, {7, 4 + round % 5, 6});
  }
}

TEST_CASE("Standard errors count a sample and its images as one draw") {
  std::mt19937_64 random(5);
  using enum Boundary;
  const Symmetric3 H = Symmetric3::diagonal(0.02, 0.01, 0.03);
  for (const Boundaries& boundaries :
       {Boundaries{reflect, none, none}, Boundaries{reflect, reflect, reflect},
        Boundaries{periodic, none, reflect}, Boundaries{renormalize, none, none}})
    check_errors(random_samples(random, 60, true), KernelFunction::gaussian, H, boundaries,
                 {6, 5, 7});
  // Small kernels whose images do not meet have squares, whatever they are.
  check_errors(random_samples(random, 60, false), KernelFunction::epanechnikov,
               Symmetric3::diagonal(0.04, 0.03, 0.02), {periodic, periodic, none}, {8, 9, 7});
}

TEST_CASE("Standard errors of samples with widths or shapes of their own are those of plain sums") {
  std::mt19937_64 random(9);
  std::uniform_real_distribution<double> share(0, 1);
  for (const bool shapes : {false, true}) {
    Samples samples = random_samples(random, 50, shapes);
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const double a = 0.01 + 0.02 * share(random), b = 0.01 + 0.02 * share(random);
      if (shapes)
        samples.shapes.insert(samples.shapes.end(), {a, 0.3 * a, 0, a + b, 0.2 * b, b});
      else
        samples.bandwidth_factors.push_back(0.5 + share(random));
    }
    check_errors(samples, KernelFunction::gaussian, Symmetric3::diagonal(0.02, 0.03, 0.02), {},
                 {8, 7, 6});
  }
}

TEST_CASE("Standard errors are within 3 % of the deviations over 400 bootstrap densities") {
  std::mt19937_64 random(11);
  using enum Boundary;
  struct Case {
    KernelFunction kernel;
    Symmetric3 H;
    Boundaries boundaries;
    bool weighted;
  };
  const Symmetric3 wide = Symmetric3::diagonal(0.1, 0.12, 0.08),
                   narrow = Symmetric3::diagonal(0.01, 0.02, 0.01);
  for (const Case& one :
       {Case{KernelFunction::epanechnikov, wide, {}, false},
        Case{KernelFunction::gaussian, narrow, {}, true},
        Case{KernelFunction::gaussian, narrow, {reflect, reflect, none}, false}}) {
    INFO(one.kernel->name << ", " << boundaries_text(one.boundaries));
    const Samples samples = random_samples(random, 300, one.weighted);
    const Estimate found =
        estimate(samples, request_of(one.kernel, one.H, one.boundaries, {7, 7, 7}));
    const Kernels kernels =
        kernels_of(samples, one.kernel, one.H, one.boundaries, found.density.grid());
    const auto values = found.errors.values<double>();
    CHECK(root_mean_square({values.begin(), values.end()}) ==
          Approx(bootstrap_error(kernels, samples, 400)).epsilon(0.03));
  }
}

TEST_CASE("Standard errors follow the unit and the precision of the density") {
  std::mt19937_64 random(13);
  const Samples samples = random_samples(random, 100, true);
  const Symmetric3 H = Symmetric3::diagonal(0.05, 0.05, 0.04);
  DensityRequest request = request_of(KernelFunction::epanechnikov, H, {}, {8, 8, 8});
  const Estimate found = estimate(samples, request);
  request.precision = Precision::f32;
  request.normalization = Normalization::count;
  const Estimate counts = estimate(samples, request);
  double total = 0;
  for (const double weight : samples.weights) total += weight;
  CHECK(counts.errors.precision() == Precision::f32);
  CHECK(counts.errors.maximum() == Approx(total * found.errors.maximum()).epsilon(1e-5));
}

TEST_CASE("Standard errors that cannot be computed are refused with the reason") {
  std::mt19937_64 random(15);
  const Samples samples = random_samples(random, 20, false);
  const Symmetric3 H = Symmetric3::diagonal(0.05, 0.05, 0.04);
  using enum Boundary;
  const auto refusal = [&](const DensityRequest& request) {
    return test::thrown_error([&] { estimate(samples, request); }).problem();
  };
  DensityRequest request = request_of(KernelFunction::triweight, H, {}, {4, 4, 4});
  CHECK(refusal(request).find("triweight") != std::string::npos);
  request = request_of(KernelFunction::epanechnikov, H, {reflect, none, none}, {4, 4, 4});
  CHECK(refusal(request).find("its image overlap") != std::string::npos);
  Symmetric3 tilted = H;
  tilted.xy = 0.02;
  request = request_of(KernelFunction::gaussian, tilted, {reflect, none, none}, {4, 4, 4});
  CHECK(refusal(request).find("mirrored") != std::string::npos);
  request = request_of(KernelFunction::gaussian, H, {}, {4, 4, 4});
  request.normalization = Normalization::box;
  CHECK(refusal(request).find("mass in the box") != std::string::npos);
  request = request_of(KernelFunction::gaussian, H, {linear, none, none}, {4, 4, 4});
  CHECK(refusal(request).find("corrected at faces") != std::string::npos);
  request = request_of(KernelFunction::gaussian, H, {}, {4, 4, 4});
  request.sharpen = true;
  CHECK(refusal(request).find("follow from all samples") != std::string::npos);
}

}  // namespace skde

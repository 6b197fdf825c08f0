#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "core/report/error.hpp"
#include "mixture/known_mixture.hpp"
#include "support/catch.hpp"
#include "support/cells.hpp"
#include "support/thrown_error.hpp"

namespace skde::test {

TEST_CASE("A fit finds the mixture that a volume is made of") {
  const Volume volume = known_volume();
  const MixtureFit fit = fit_mixture({&volume}, spec_of(3, 600), no_progress);
  check_found(fit.mixture, 1e-3);
  CHECK(fit.facts.relative_error < 2e-3);
  CHECK(fit.facts.largest_error < 2e-3);
  CHECK(fit.facts.psnr > 60);
  CHECK(fit.facts.divergence < 1e-4);
  CHECK(fit.facts.mass == Approx(volume.mass()).epsilon(1e-3));
  CHECK(fit.facts.parameters == 30);
  CHECK(fit.facts.steps == 600);
}

TEST_CASE("Expectation-maximisation finds the mixture that samples are drawn from") {
  const std::vector<double> xyz = known_samples(6000, 3);
  const Volume volume = known_volume();
  FitInput input{&volume, {xyz}, Symmetric3::diagonal(1e-3, 1e-3, 1e-3)};
  const MixtureFit fit = fit_mixture(input, spec_of(3, 60, FitLoss::likelihood), no_progress);
  // The kernel's part is below a cell, and no wider than it is.
  check_found(fit.mixture, 0.03);
  CHECK(fit.mixture.H == input.kernel);
}

TEST_CASE("A fit states the kernel of its density, even if that is narrower than a cell") {
  const std::vector<double> xyz = known_samples(60, 4);
  const Volume volume = known_volume();
  const Symmetric3 narrow{1e-3, 2e-4, 0, 2e-3, 0, 1e-3},
      thin = Symmetric3::diagonal(0.04, 0.04, 1e-9);
  for (const Symmetric3& kernel : {narrow, thin})
    for (const FitLoss loss : {FitLoss::l2, FitLoss::likelihood})
      CHECK(fit_mixture({&volume, {xyz}, kernel}, spec_of(2, 3, loss), no_progress).mixture.H ==
            kernel);
}

TEST_CASE("The values of a mixture are sums of Gaussians, at points and on a grid") {
  const Mixture mixture = mixture_of_parts(kParts);
  const std::vector<double> xyz = known_samples(200, 9);
  const std::vector<double> values = mixture_at(mixture, TargetPoints(xyz), {}, no_progress);
  for (std::size_t i = 0; i < values.size(); ++i)
    CHECK(values[i] == Approx(known_at({xyz[3 * i], xyz[3 * i + 1], xyz[3 * i + 2]})).margin(1e-7));
  const Volume on = mixture_on(mixture, kGrid, Precision::f64, {}, no_progress);
  CHECK(on.at(17, 18, 15) == Approx(known_at(kGrid.centre(17, 18, 15))).margin(1e-7));
  CHECK(mixture_at({}, TargetPoints(xyz), {}, no_progress) == std::vector<double>(200, 0));
}

TEST_CASE("Members of very unlike widths have the values of their definition") {
  const std::array<Part, 2> parts{{{0.7, {0, 0, 0}, Symmetric3::diagonal(1e4, 1e4, 1e4)},
                                   {0.3, {3, 0, 0}, Symmetric3::diagonal(1e-4, 1e-6, 1e-4)}}};
  const std::vector<double> xyz{3, 0, 0, 3.005, 0.0005, 0, 100, 0, 0};
  const std::vector<double> values =
      mixture_at(mixture_of_parts(parts), TargetPoints(xyz), {}, no_progress);
  for (std::size_t i = 0; i < values.size(); ++i) {
    double sum = 0;
    for (const Part& part : parts)
      sum += part.mass * gaussian_at(part.covariance,
                                     Vec3{xyz[3 * i], xyz[3 * i + 1], xyz[3 * i + 2]} - part.mean);
    CHECK(values[i] == Approx(sum).epsilon(1e-7));
  }
}

TEST_CASE("Derivatives by members are those of differences, in world units") {
  const Grid grid{{-5, -6, -4}, {0.5, 0.4, 0.7}, {20, 25, 14}};
  std::vector<double> cotangents;
  for (std::int64_t i = 0; i < grid.cells(); ++i)
    cotangents.push_back(std::sin(static_cast<double>(i % 101)));
  std::vector<double> xyz;
  for (const auto& [i, j, k] : cells_of(grid.dims)) {
    const Vec3 centre = grid.centre(i, j, k);
    xyz.insert(xyz.end(), {centre.x, centre.y, centre.z});
  }
  const auto loss = [&](const Part& part) {
    double sum = 0;
    for (std::size_t i = 0; i < cotangents.size(); ++i)
      sum += cotangents[i] * part.mass *
             gaussian_at(part.covariance,
                         Vec3{xyz[3 * i], xyz[3 * i + 1], xyz[3 * i + 2]} - part.mean);
    return sum;
  };
  const auto difference = [&](std::size_t k, const auto& move) {
    constexpr double kStep = 1e-5;
    Part above = kParts[k], below = kParts[k];
    move(above, kStep);
    move(below, -kStep);
    return (loss(above) - loss(below)) / (2 * kStep);
  };
  const Mixture mixture = mixture_of_parts(kParts);
  for (const Target& target : {Target(grid), Target(TargetPoints(xyz))}) {
    const std::vector<MemberGradient> found =
        mixture_gradient(mixture, target, cotangents, {}, no_progress);
    REQUIRE(found.size() == kParts.size());
    for (std::size_t k = 0; k < found.size(); ++k) {
      const auto near = [](double expected) { return Approx(expected).epsilon(1e-5).margin(1e-5); };
      const MemberGradient& by = found[k];
      CHECK(by.mass == near(difference(k, [](Part& p, double s) { p.mass += s; })));
      CHECK(by.mean.x == near(difference(k, [](Part& p, double s) { p.mean.x += s; })));
      CHECK(by.mean.z == near(difference(k, [](Part& p, double s) { p.mean.z += s; })));
      const auto by_yy = [](Part& p, double s) { p.covariance.yy += s; };
      const auto by_xz = [](Part& p, double s) { p.covariance.xz += s; };  // both entries
      CHECK(by.covariance.yy == near(difference(k, by_yy)));
      CHECK(2 * by.covariance.xz == near(difference(k, by_xz)));
    }
  }
}

TEST_CASE("Points that are not finite, and too few derivatives, are refused") {
  const Mixture mixture = mixture_of_parts(kParts);
  const TargetPoints unknown({0, 0, 0, 1, std::numeric_limits<double>::quiet_NaN(), 0});
  const Error of_points = thrown_error([&] { mixture_at(mixture, unknown, {}, no_progress); });
  CHECK(of_points.parameter() == "points");
  CHECK(of_points.problem() == "the y of point 2 must be finite");
  const std::vector<double> one{1};
  const Error of_derivatives = thrown_error([&] {
    mixture_gradient(mixture, TargetPoints({0, 0, 0, 1, 1, 1}), one, {}, no_progress);
  });
  CHECK(of_derivatives.parameter() == "cotangents");
}

TEST_CASE("More members fit better, and an error to reach finds as many as it needs") {
  const std::vector<double> xyz = known_samples(400, 5);
  const Volume volume = known_volume();
  const double one = fit_mixture({&volume}, spec_of(1, 150), no_progress).facts.relative_error;
  const double two = fit_mixture({&volume}, spec_of(2, 150), no_progress).facts.relative_error;
  CHECK(two < one);
  FitSpec search = spec_of(0, 150);
  search.error = 0.05;
  const MixtureFit found = fit_mixture({&volume}, search, no_progress);
  CHECK(found.facts.members == 4);
  CHECK(found.facts.relative_error <= 0.05);
}

TEST_CASE("A fit comes from two deviations away in 200 steps, and settles there") {
  const Grid grid{{-7, -7, -7}, {1, 1, 1}, {14, 14, 14}};
  const Part part{1, {1, 0, -0.5}, Symmetric3::diagonal(4, 4, 4)};
  std::vector<double> values;
  for (const auto& [i, j, k] : cells_of({14, 14, 14}))
    values.push_back(gaussian_at(part.covariance, grid.centre(i, j, k) - part.mean));
  const Volume volume(grid, std::move(values));
  const Part away{0.5, {-2, -2, -2}, Symmetric3::diagonal(3, 3, 3)};
  const Mixture from = mixture_of_parts(std::array{away});
  const MixtureFit fit = fit_mixture({&volume}, spec_of(1, 200), no_progress, {}, &from);
  CHECK(fit.facts.relative_error < 3e-3);
  CHECK(fit.mixture.members.view().point(0).x == Approx(1).margin(3e-3));
}

TEST_CASE("A fit repeats its bits, goes on from a mixture, and ends when it is told") {
  const Volume volume = known_volume();
  const MixtureFit once = fit_mixture({&volume}, spec_of(8, 120), no_progress),
                   again = fit_mixture({&volume}, spec_of(8, 120), no_progress);
  CHECK(once.mixture.members.xyz == again.mixture.members.xyz);
  CHECK(once.mixture.members.shapes == again.mixture.members.shapes);
  const MixtureFit more = fit_mixture({&volume}, spec_of(8, 200), no_progress, {}, &once.mixture);
  CHECK(more.facts.members == 8);
  CHECK(more.facts.relative_error < once.facts.relative_error);
  std::vector<double> errors;
  const MixtureFit ended =
      fit_mixture({&volume}, spec_of(8, 500), no_progress, [&](std::int64_t step, double error) {
        errors.push_back(error);
        return step >= 100;
      });
  CHECK(ended.facts.steps == 100);
  CHECK(errors.size() == 3);
  CHECK(errors.back() < errors.front());
}

TEST_CASE("Volumes that no mixture has are refused") {
  const auto refused = [](const Volume& volume, const FitSpec& spec) {
    return thrown_error([&] { fit_mixture({&volume}, spec, no_progress); });
  };
  Volume empty(kGrid, Precision::f32);
  CHECK(refused(empty, spec_of(2, 10)).kind() == ErrorKind::input);
  Volume negative = known_volume();
  negative.values<double>()[7] = -1;
  CHECK(refused(negative, spec_of(2, 10)).kind() == ErrorKind::input);
  Volume unknown = known_volume();
  unknown.values<double>()[7] = std::numeric_limits<double>::quiet_NaN();
  CHECK(refused(unknown, spec_of(2, 10)).kind() == ErrorKind::input);
  Volume single(kGrid, Precision::f32);
  single.values<float>()[20000] = 1;
  CHECK(refused(single, spec_of(2, 10)).kind() == ErrorKind::usage);
  CHECK(refused(known_volume(), spec_of(2, 10, FitLoss::likelihood)).kind() == ErrorKind::usage);
  const MixtureFit one = fit_mixture({&single}, spec_of(1, 200), no_progress);
  CHECK(one.facts.mass == Approx(single.mass()).epsilon(1e-6));
}

TEST_CASE("A fit keeps the mass of a volume with holes, and has room for a member per sample") {
  Volume holes = known_volume();
  for (std::size_t i = 0; i < holes.values<double>().size(); i += 3) holes.values<double>()[i] = 0;
  const MixtureFit fit = fit_mixture({&holes}, spec_of(16, 100), no_progress);
  const Volume fitted = mixture_on(fit.mixture, kGrid, Precision::f64, {}, no_progress);
  CHECK(fitted.mass() == Approx(holes.mass()).epsilon(1e-6));
  const std::vector<double> xyz = known_samples(20, 5);
  const Volume volume = known_volume();
  const FitInput few{&volume, {xyz}, Symmetric3::diagonal(0.3, 0.3, 0.3)};
  CHECK(fit_mixture(few, spec_of(20, 20), no_progress).facts.members == 20);
  CHECK(fit_mixture(few, spec_of(40, 20), no_progress).facts.members == 40);
}

}  // namespace skde::test

#include "core/kernel/kernel_transform.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>

#include "core/kernel/b_spline.hpp"
#include "core/kernel/kernel_function.hpp"
#include "core/kernel/kernel_profiles.hpp"
#include "support/catch.hpp"

using namespace skde;

namespace {

/// Integrates the kernel times cos(w x) over space, by Simpson's rule along the radius on 4 pi r^2
/// k(r^2) sin(w r) / (w r).
template <class Profile>
double transform_by_quadrature(double w) {
  constexpr int kPoints = 20000;
  const double end = std::min(Profile::kSupport, 12.0), step = end / kPoints;
  double sum = 0;
  for (int i = 0; i <= kPoints; ++i) {
    const double r = i * step, turn = w * r;
    const double value = r * r * Profile::at(r * r) * (turn > 0 ? std::sin(turn) / turn : 1.0);
    // A kernel that jumps at its end counts with its value before the jump.
    const bool jump = i == kPoints && Profile::kDegree == 0;
    const double at = jump ? (w > 0 ? std::sin(turn) / turn : 1.0) * r * r : value;
    sum += at * (i == 0 || i == kPoints ? 1 : i % 2 == 1 ? 4 : 2);
  }
  return 4 * std::numbers::pi * Profile::kConstant * sum * step / 3;
}

template <class Profile>
void check_transform() {
  INFO(Profile::kName);
  REQUIRE(KernelFunction::named(Profile::kName)->has_transform == kHasTransform<Profile>);
  if constexpr (kHasTransform<Profile>) {
    for (const double w : {0.0, 0.01, 0.5, 1.0, 3.0, 5.9, 6.1, 9.0, 20.0, 55.0}) {
      INFO("at " << w);
      const double expected = transform_by_quadrature<Profile>(w);
      CHECK(std::abs(Profile::template transform<double>(w * w) - expected) < 1e-11);
      CHECK(std::abs(Profile::template transform<float>(float(w * w)) - expected) < 2e-6);
    }
  }
}

/// The B-spline of order M at `x` from its centre.
template <int M>
double spline_at(double x) {
  double values[M];
  const double node = std::floor(x);
  b_spline_values<M>(x - node, values);
  const int i = static_cast<int>(-node) + M / 2 - 1;  // index of the node 0
  return i >= 0 && i < M ? values[i] : 0;
}

template <int M>
void check_spline() {
  INFO("order " << M);
  constexpr int kSteps = 400;
  for (const double f : {0.0, 0.1, 0.5, 1.3}) {
    double sum = 0;
    for (int i = -M * kSteps; i < M * kSteps; ++i) {
      const double x = (i + 0.5) / kSteps;
      sum += spline_at<M>(x) * std::cos(2 * std::numbers::pi * f * x) / kSteps;
    }
    CHECK(std::abs(sum - b_spline_transform(M, f)) < 2e-5);
  }
  for (const double x : {0.0, 0.2, 0.77}) {
    double all = 0, first = 0;
    for (int node = -M; node <= M; ++node) {
      all += spline_at<M>(x - node);
      first += node * spline_at<M>(x - node);
    }
    CHECK(all == Approx(1).epsilon(1e-14));
    CHECK(std::abs(first - x) < 1e-13);  // linear functions are reproduced
    CHECK(spline_at<M>(x) == Approx(spline_at<M>(-x)));
  }
}

}  // namespace

TEST_CASE("The transform of each kernel is its integral against waves") {
  std::apply([](auto... profile) { (check_transform<decltype(profile)>(), ...); },
             KernelProfiles());
}

TEST_CASE("B-splines sum up to 1, keep lines, and have the transform that is stated") {
  check_spline<4>();
  check_spline<6>();
  check_spline<8>();
}

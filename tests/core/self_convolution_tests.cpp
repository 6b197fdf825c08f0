#include "core/kernel/self_convolution.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>

#include "core/kernel/kernel_profiles.hpp"
#include "support/catch.hpp"

using namespace skde;

namespace {

/// Computes k * k at distance s by its definition, in cylindrical coordinates about the line
/// through both centres. The integral of k(|x|) k(|x - s|) runs over height z and radius r, by the
/// midpoint rule along both.
template <class Profile>
double convolution_by_quadrature(double s) {
  const double reach = std::min(Profile::kSupport, 8.0);
  constexpr int kPoints = 1500;
  const double step = 2 * reach / kPoints;
  double sum = 0;
  for (int i = 0; i < kPoints; ++i) {
    const double z = -reach + (i + 0.5) * step;
    for (int j = 0; j < kPoints / 2; ++j) {
      const double r = (j + 0.5) * step;
      const double q = z * z + r * r, other = (z - s) * (z - s) + r * r;
      const double cut = Profile::kSupport * Profile::kSupport;
      if (q < cut && other < cut) sum += r * Profile::at(q) * Profile::at(other);
    }
  }
  return 2 * std::numbers::pi * Profile::kConstant * Profile::kConstant * sum * step * step;
}

template <class Profile>
constexpr bool kHasConvolution = requires {
  Profile::convolution;
};

template <class Profile>
void check_convolution() {
  INFO(Profile::kName);
  if constexpr (kHasConvolution<Profile>) {
    const double tolerance = Profile::kDegree == 0 ? 1e-4 : 1e-5;  // of the rule, at a jump
    for (const double s : {0.0, 0.01, 0.3, 0.99, 1.0, 1.4, 1.95}) {
      INFO("at " << s);
      CHECK(std::abs(Profile::convolution(s * s) - convolution_by_quadrature<Profile>(s)) <
            tolerance * Profile::kConstant);
    }
    CHECK(Profile::convolution(0) == Approx(Profile::roughness(Profile::kConstant)).epsilon(1e-13));
  }
}

}  // namespace

TEST_CASE("kernels are convolved with themselves as by numerical integration",
          "[self_convolution]") {
  std::apply([](auto... profile) { (check_convolution<decltype(profile)>(), ...); },
             KernelProfiles{});
}

TEST_CASE("self-convolutions integrate to 1, and end where two kernels part",
          "[self_convolution]") {
  const auto check = [](auto profile) {
    using Profile = decltype(profile);
    INFO(Profile::kName);
    if constexpr (kHasConvolution<Profile>) {
      const double end = std::min(Profile::kConvolutionSupport, 14.0);
      constexpr int kPoints = 20000;
      double sum = 0;
      for (int i = 0; i < kPoints; ++i) {
        const double r = (i + 0.5) * end / kPoints;
        sum += r * r * Profile::convolution(r * r);
      }
      CHECK(4 * std::numbers::pi * sum * end / kPoints == Approx(1).epsilon(1e-7));
      if (Profile::kDegree != kNoDegree) CHECK(Profile::convolution(4.0001) == 0);
    }
  };
  std::apply([&](auto... profile) { (check(profile), ...); }, KernelProfiles{});
}

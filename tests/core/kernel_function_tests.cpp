#include "core/kernel/kernel_function.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>
#include <string>
#include <tuple>

#include "core/kernel/kernel_profiles.hpp"
#include "core/kernel/power_profiles.hpp"
#include "core/kernel/with_profile.hpp"
#include "support/catch.hpp"
#include "support/thrown_error.hpp"

using namespace skde;
using test::says;
using test::thrown_error;

namespace {

constexpr double kPi = 3.14159265358979323846;

double profile(KernelFunction function, double q) { return function->profile(q); }

float float_profile(KernelFunction function, float q) {
  return with_profile(function, function->cut_at(1e-6),
                      [&](const auto& profile) { return profile.value(q); });
}

double kernel(KernelFunction function, double q) {
  return function->constant * profile(function, q);
}

/// Integrates value(r^2) over the kernel's ball: Simpson's rule on 4 pi r^2 value(r^2).
template <class Value>
double over_ball(KernelFunction function, Value&& value) {
  constexpr int kPanels = 2000;
  const double radius = function->cut_at(1e-13), step = radius / kPanels;
  const auto shell = [&](double r) { return 4 * kPi * r * r * value(r * r); };
  double sum = 0;
  for (int i = 0; i < kPanels; ++i) {
    const double left = i * step, right = i + 1 == kPanels ? radius - 1e-14 : left + step;
    sum += (right - left) / 6 * (shell(left) + 4 * shell((left + right) / 2) + shell(right));
  }
  return sum;
}

/// Silverman (1986), 4.14: h^7 = d R(k) / (m2^2 I n), where I is the integral of (laplacian phi)^2,
/// 15 / (32 pi^(3/2)) in three dimensions.
double silverman_by_quadrature(KernelFunction function) {
  const double roughness =
      over_ball(function, [&](double q) { return std::pow(kernel(function, q), 2); });
  const double m2 = over_ball(function, [&](double q) { return q / 3 * kernel(function, q); });
  const double curvature = 15 / (32 * std::pow(kPi, 1.5));
  return std::pow(3 * roughness / (m2 * m2 * curvature), 1.0 / 7);
}

}  // namespace

TEST_CASE("every kernel function integrates to 1", "[kernel_function]") {
  for (KernelFunction function : kKernelFunctions) {
    INFO(function->name);
    CHECK(over_ball(function, [&](double q) { return kernel(function, q); }) ==
          Approx(1).epsilon(1e-9));
  }
}

TEST_CASE("a row's degree is that of its profile", "[kernel_function]") {
  for (KernelFunction function : kKernelFunctions) {
    INFO(function->name);
    if (!function->degree) continue;
    for (const double q : {0.0, 0.2, 0.7, 0.99})
      CHECK(profile(function, q) == Approx(std::pow(1 - q, *function->degree)));
    CHECK(function.is_power_up_to(*function->degree));
    CHECK_FALSE(function.is_power_up_to(*function->degree - 1));
  }
}

TEST_CASE("the values are those of the definitions", "[kernel_function]") {
  for (double q : {0.0, 0.1, 0.25, 0.5, 0.875, 0.999}) {
    INFO(q);
    CHECK(profile(KernelFunction::uniform, q) == 1);
    CHECK(profile(KernelFunction::epanechnikov, q) == Approx(1 - q));
    CHECK(profile(KernelFunction::biweight, q) == Approx((1 - q) * (1 - q)));
    CHECK(profile(KernelFunction::triweight, q) == Approx((1 - q) * (1 - q) * (1 - q)));
    CHECK(profile(KernelFunction::linear, q) == Approx(1 - std::sqrt(q)));
    CHECK(profile(KernelFunction::cosine, q) ==
          Approx(std::cos(kPi / 2 * std::sqrt(q))).epsilon(1e-14).margin(1e-16));
    CHECK(std::abs(float_profile(KernelFunction::cosine, static_cast<float>(q)) -
                   std::cos(kPi / 2 * std::sqrt(static_cast<double>(static_cast<float>(q))))) <
          1.2e-7);
    CHECK(profile(KernelFunction::exponential, q) == Approx(std::exp(-std::sqrt(q))));
    const double r = std::sqrt(q);
    CHECK(profile(KernelFunction::cubic_spline, q) ==
          Approx(r < 0.5 ? 1 - 6 * r * r + 6 * r * r * r : 2 * std::pow(1 - r, 3)));
    CHECK(profile(KernelFunction::wendland_c2, q) == Approx(std::pow(1 - r, 4) * (1 + 4 * r)));
  }
  // Dehnen and Aly (2012), table 1: with the support as the unit, C = 16 / pi of a profile that is
  // 1/2 at the centre, and C = 21 / (2 pi); H / (2 deviations) is 1.825742 and 1.936492.
  CHECK(kernel(KernelFunction::cubic_spline, 0) == Approx(16 / kPi / 2));
  CHECK(kernel(KernelFunction::wendland_c2, 0) == Approx(21 / (2 * kPi)));
  CHECK(0.5 / std::sqrt(KernelFunction::cubic_spline->variance) == Approx(1.825742));
  CHECK(0.5 / std::sqrt(KernelFunction::wendland_c2->variance) == Approx(1.936492));
  CHECK(kernel(KernelFunction::linear, 0) == Approx(3 / kPi));
  CHECK(kernel(KernelFunction::cosine, 0) == Approx(1 / (8 - 64 / (kPi * kPi))));
  CHECK(kernel(KernelFunction::exponential, 0) == Approx(1 / (8 * kPi)));
  CHECK(kernel(KernelFunction::epanechnikov, 0) == Approx(15 / (8 * kPi)));
}

TEST_CASE("every kernel function is zero at its end and beyond", "[kernel_function]") {
  for (KernelFunction function : kKernelFunctions) {
    INFO(function->name);
    for (float q : {1.0f, std::nextafter(1.0f, 2.0f), 1.5f, 3.0f, 1e30f, INFINITY})
      CHECK(float_profile(function, q) == 0);
    CHECK(float_profile(function, std::nextafter(1.0f, 0.0f)) > 0);
    if (!function->is_bounded()) continue;
    for (double q : {1.0, std::nextafter(1.0, 2.0), 1.5, 2.0, 3.0, 1e30, double(INFINITY)})
      CHECK(profile(function, q) == 0);
    CHECK(profile(function, std::nextafter(1.0, 0.0)) > 0);
    CHECK(profile(function, function->support * function->support) == 0);
    CHECK(profile(function, 0.999 * function->support * function->support) > 0);
  }
}

TEST_CASE("a kernel function is dispatched as itself", "[kernel_function]") {
  for (KernelFunction function : kKernelFunctions) {
    CHECK(with_profile(function, 1, [](const auto& profile) { return profile.kName; }) ==
          function->name);
    if (function->degree)
      CHECK(with_degree(function, []<int P>() { return P; }) == *function->degree);
  }
  CHECK(KernelFunction()->name == "epanechnikov");
}

TEST_CASE("kernel names parse to what prints them", "[kernel_function]") {
  std::set<std::string> names;
  for (KernelFunction function : kKernelFunctions) {
    CHECK(KernelFunction::named(function->name) == function);
    names.emplace(function->name);
  }
  CHECK(names == std::set<std::string>{"biweight", "cosine", "cubic-spline", "epanechnikov",
                                       "exponential", "gaussian", "linear", "triweight", "uniform",
                                       "wendland-c2"});
  CHECK(KernelFunction::named("cubic-spline") == KernelFunction::cubic_spline);
  CHECK(KernelFunction::named("wendland-c2") == KernelFunction::wendland_c2);
  CHECK(KernelFunction::named("epanechnikov") == KernelFunction::epanechnikov);
  CHECK(KernelFunction::named("uniform") == KernelFunction::uniform);
  CHECK(KernelFunction::named("biweight") == KernelFunction::biweight);
  CHECK(KernelFunction::named("triweight") == KernelFunction::triweight);
  CHECK(KernelFunction::named("tophat") == KernelFunction::uniform);
  for (const char* name : {"exponential", "linear", "cosine"})
    CHECK(KernelFunction::named(name)->name == name);
  CHECK(KernelFunction::exponential->name == "exponential");
  CHECK(KernelFunction::linear->name == "linear");
  CHECK(KernelFunction::cosine->name == "cosine");
  for (const char* name : {"gaussian", "gauss", "normal"})
    CHECK(KernelFunction::named(name) == KernelFunction::gaussian);
}

TEST_CASE("an unknown kernel name is refused with the nearest one", "[kernel_function]") {
  test::check_thrown(ErrorKind::usage, {"'epanechnikof'", "did you mean 'epanechnikov'?"},
                     [] { KernelFunction::named("epanechnikof"); });
  for (std::string name : {"", "Epanechnikov", "uniform ", "gaus"}) {
    const Error error = thrown_error([&] { KernelFunction::named(name); });
    CHECK(says(error, "'" + name + "'"));
    CHECK(says(error, "epanechnikov, uniform, biweight, triweight"));
    CHECK(says(error, "gaussian"));
  }
}

TEST_CASE("a kernel without an end is cut where no value changes by half the tolerance",
          "[kernel_function]") {
  const KernelRow& row = KernelFunction::gaussian.row();
  for (const double tolerance : {1e-2, 1e-4, 1e-6, 1e-9}) {
    const double cut = row.cut_at(tolerance);
    INFO("tolerance " << tolerance << ", cut at " << cut);
    const auto q_beyond = [&](double q) {
      return q > cut * cut ? kernel(KernelFunction::gaussian, q) : 0;
    };
    CHECK(over_ball(KernelFunction::gaussian, q_beyond) == Approx(row.tail(cut)).epsilon(0.02));
    CHECK(row.cut_error(cut) == Approx(tolerance / 2).epsilon(1e-9));
    // Samples spread over a sphere of radius s: their mean kernel at distance r from its centre is
    // exp(-(r^2 + s^2) / 2) sinh(r s) / (r s).
    double worst = 0;
    for (const double wider : {1.0, 1.01, 1.05, 1.2}) {
      const double s = wider * cut;
      double peak = 0;
      for (double r = 0.5 * s; r < 1.2 * s; r += 1e-3 * s)
        peak = std::max(peak,
                        std::exp(-(r - s) * (r - s) / 2) * -std::expm1(-2 * r * s) / (2 * r * s));
      worst = std::max(worst, std::exp(-s * s / 2) / peak);
    }
    CHECK(worst <= 1.0001 * tolerance / 2);  // the steps of r miss the exact peak
    CHECK(worst >= 0.999 * tolerance / 2);
  }
  CHECK(row.cut_at(1e-6) == Approx(6.15).margin(0.03));
  CHECK_FALSE(row.is_bounded());
  CHECK(KernelFunction::triweight->cut_at(0.1) == 1);
  CHECK(KernelFunction::triweight->tail(1) == 0);
  CHECK(KernelFunction::triweight->cut_error(1) == 0);
}

TEST_CASE("the exponential kernel is cut where no value changes by half the tolerance",
          "[kernel_function]") {
  const KernelRow& row = KernelFunction::exponential.row();
  for (const double tolerance : {1e-2, 1e-4, 1e-6}) {
    const double c = row.cut_at(tolerance);
    INFO("tolerance " << tolerance << ", cut at " << c);
    CHECK(row.cut_error(c) == Approx(tolerance / 2).epsilon(1e-9));
    // Samples all over a sphere of radius s: their density in its middle, over that at r from it,
    // which is exp(-s) ((s + 1) sinh(r) - r cosh(r)) / (r s).
    double worst = 0;
    for (const double s : {c, 1.01 * c, 1.2 * c}) {
      double share = 1;
      for (double r = 0.5 * s; r < s; r += 1e-3 * s)
        share = std::min(share, r * s / ((s + 1) * std::sinh(r) - r * std::cosh(r)));
      worst = std::max(worst, share);
    }
    CHECK(worst <= 1.0001 * tolerance / 2);
    CHECK(worst >= 0.98 * tolerance / 2);
    const auto beyond = [&](double q) {
      return q > c * c ? kernel(KernelFunction::exponential, q) : 0;
    };
    CHECK(over_ball(KernelFunction::exponential, beyond) == Approx(row.tail(c)).epsilon(0.05));
  }
  CHECK(row.cut_at(1e-30) > 70);
  CHECK_FALSE(row.is_bounded());
}

TEST_CASE("the exponential of profiles is within a last place of 1", "[kernel_function]") {
  for (int i = 0; i <= 8000; ++i) {
    const double x = -0.01 * i;
    CHECK(exp_of_negative(x) == Approx(std::exp(x)).epsilon(1e-14).margin(2e-16));
    const auto single = static_cast<float>(x);
    CHECK(std::abs(exp_of_negative(single) - std::exp(static_cast<double>(single))) <= 1.2e-7);
  }
  CHECK(exp_of_negative(0.0f) == 1);
  CHECK(exp_of_negative(-1e30f) < 1e-30f);
}

TEST_CASE("a row knows where its profile is half of its peak", "[kernel_function]") {
  CHECK(KernelFunction::gaussian->half_maximum == Approx(std::sqrt(2 * std::log(2.0))));
  CHECK(KernelFunction::exponential->half_maximum == Approx(std::log(2.0)));
  CHECK(KernelFunction::linear->half_maximum == Approx(0.5));
  CHECK(KernelFunction::epanechnikov->half_maximum == Approx(std::sqrt(0.5)));
  CHECK(KernelFunction::uniform->half_maximum == Approx(1));
  CHECK(KernelFunction::cubic_spline->half_maximum == Approx(0.36117586223));  // 12 r^2 (1 - r) = 1
}

TEST_CASE("Silverman's factor follows from the kernel's roughness and variance",
          "[kernel_function]") {
  for (KernelFunction function : kKernelFunctions) {
    INFO(function->name);
    CHECK(function->silverman == Approx(silverman_by_quadrature(function)).epsilon(1e-8));
  }
  const double closed = std::pow(8 * 7 * std::pow(2 * std::sqrt(kPi), 3) / (4 * kPi / 3), 1.0 / 7);
  CHECK(KernelFunction::epanechnikov->silverman == Approx(closed).epsilon(1e-12));
  CHECK(KernelFunction::epanechnikov->silverman == Approx(2.49124).margin(5e-6));
  CHECK(KernelFunction::gaussian->silverman == Approx(std::pow(0.8, 1.0 / 7)).epsilon(1e-12));
  CHECK(KernelFunction::gaussian->scott == Approx(1).epsilon(1e-12));
}

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

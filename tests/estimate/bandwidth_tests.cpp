#include "bandwidth/bandwidth.hpp"

#include <cmath>
#include <random>
#include <string>

#include "core/cloud/moments.hpp"
#include "core/kernel/with_profile.hpp"
#include "support/catch.hpp"
#include "support/thrown_error.hpp"

using namespace skde;
using test::says;
using test::thrown_error;

namespace {

constexpr KernelFunction kEpanechnikov = KernelFunction::epanechnikov;
constexpr double kA = 2.49124;  // its Silverman factor, to 6 digits

/// Returns the moments of samples with this covariance, all of the same weight.
Moments moments_of(const Symmetric3& covariance, std::uint64_t count = 128, double weight = 1) {
  Moments::Sums sums;
  sums.count = count;
  sums.weight = weight * static_cast<double>(count);
  sums.weight_squared = weight * weight * static_cast<double>(count);
  sums.shift = {10, 20, 30};
  sums.second = sums.weight * covariance;
  sums.bounds = {{0, 0, 0}, {20, 40, 60}};
  return Moments(sums);
}

void check_close(const Symmetric3& got, const Symmetric3& expected, double epsilon = 1e-12) {
  const double scale = epsilon * expected.trace();
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) CHECK(std::abs(got(i, j) - expected(i, j)) <= scale);
}

Bandwidth select(const Moments& moments, const BandwidthSpec& spec) {
  return select_bandwidth(moments, spec, kEpanechnikov);
}

BandwidthSpec spec_of(std::variant<BandwidthRule, double, Vec3, Symmetric3> bandwidth,
                      CovarianceForm form = CovarianceForm::data) {
  return {.bandwidth = bandwidth, .form = form};
}

Moments cloud_moments(std::initializer_list<double> xyz) {
  const Samples cloud{xyz, {}};
  return compute_moments(cloud.view());
}

/// Returns the moments of samples x = a s + b t, which are flat along a third direction; with b = 0
/// they lie on a line.
Moments flat_moments(Vec3 a, Vec3 b) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Samples cloud;
  for (int i = 0; i < 200; ++i) {
    const Vec3 p = uniform(random) * a + uniform(random) * b;
    cloud.xyz.insert(cloud.xyz.end(), {p.x, p.y, p.z});
  }
  return compute_moments(cloud.view());
}

constexpr double kScott = 2.571926;  // Scott's factor for Epanechnikov's kernel
constexpr Symmetric3 kS{4, 1, 0.5, 9, -2, 16};

}  // namespace

TEST_CASE("Silverman's and Scott's rules scale with the samples", "[bandwidth]") {
  // With n = 128 = 2^7, n^(-1/7) is 1/2.
  const Bandwidth scott = select(moments_of(kS), spec_of(BandwidthRule::scott));
  CHECK(scott.h == Approx(kScott / 2).epsilon(1e-5));
  CHECK(scott.source == "scott");
  CHECK(scott.uses_covariance);
  check_close(scott.H, (scott.h * scott.h) * kS);
  const Bandwidth silverman = select(moments_of(kS), spec_of(BandwidthRule::silverman));
  CHECK(silverman.h == Approx(kA / 2).epsilon(1e-5));
  CHECK(silverman.source == "silverman");
  CHECK(silverman.uses_covariance);
  check_close(silverman.H, (silverman.h * silverman.h) * kS);
  CHECK(select(moments_of(kS, 128 * 128), spec_of(BandwidthRule::scott)).h ==
        Approx(kScott / 4).epsilon(1e-5));
}

TEST_CASE("Scott's rule is near Silverman's for every kernel", "[bandwidth]") {
  // Both rules assume a normal density: factors 1 and (4/5)^(1/7) for a normal kernel.
  for (const KernelFunction function : kKernelFunctions) {
    const auto h = [&](BandwidthRule rule) {
      return select_bandwidth(moments_of(kS), spec_of(rule), function).h;
    };
    CHECK(h(BandwidthRule::scott) / h(BandwidthRule::silverman) ==
          Approx(std::pow(5.0 / 4, 1.0 / 7)));
  }
}

TEST_CASE("the normal scale takes the unbiased covariance", "[bandwidth]") {
  // ks::Hns is (4 / (5 n))^(2/7) S for a normal kernel, where S has the divisor n - 1.
  const Bandwidth scale = select(moments_of(kS, 128), spec_of(BandwidthRule::normal_scale));
  const Bandwidth silverman = select(moments_of(kS, 128), spec_of(BandwidthRule::silverman));
  const Bandwidth unbiased = select(moments_of(kS, 128), spec_of(BandwidthRule::normal_scott));
  CHECK(unbiased.source == "normal-scott");
  CHECK(unbiased.h / select(moments_of(kS, 128), spec_of(BandwidthRule::scott)).h ==
        Approx(std::sqrt(128.0 / 127)));
  CHECK(scale.source == "normal-scale");
  check_close(scale.H, (128.0 / 127) * silverman.H);
}

TEST_CASE("moments alone choose by Silverman's rule, which depends on the kernel", "[bandwidth]") {
  CHECK(select(moments_of(kS), {}).source == "auto: silverman");
  for (KernelFunction function : kKernelFunctions)
    CHECK(select_bandwidth(moments_of(kS), {}, function).h ==
          Approx(function->silverman / 2).epsilon(1e-12));
}

TEST_CASE("the rules count weights as effective samples", "[bandwidth]") {
  CHECK(select(moments_of(kS, 128, 3), spec_of(BandwidthRule::scott)).h ==
        Approx(kScott / 2).epsilon(1e-5));
  Samples cloud{{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 5, 1, 2}, {1, 2, 3, 4, 0}};
  const double n_eff = 100.0 / 30;
  CHECK(select(compute_moments(cloud.view()), spec_of(BandwidthRule::scott)).h ==
        Approx(kScott * std::pow(n_eff, -1.0 / 7)).epsilon(1e-5));
}

TEST_CASE("a given h multiplies the covariance in its form", "[bandwidth]") {
  const Moments m = moments_of(kS);
  const Bandwidth data = select(m, spec_of(0.3));
  CHECK(data.h == 0.3);
  CHECK(data.source == "given");
  CHECK(data.uses_covariance);
  check_close(data.H, 0.09 * kS);
  const Bandwidth diag = select(m, spec_of(0.3, CovarianceForm::diag));
  CHECK(diag.uses_covariance);
  check_close(diag.H, Symmetric3::diagonal(0.36, 0.81, 1.44));
  CHECK(diag.H.xy == 0);
  CHECK(diag.H.xz == 0);
  CHECK(diag.H.yz == 0);
}

TEST_CASE("iso is round, and its h is a length in world units", "[bandwidth]") {
  const Moments m = moments_of(kS);
  const Bandwidth given = select(m, spec_of(0.3, CovarianceForm::iso));
  CHECK(given.h == 0.3);
  CHECK_FALSE(given.uses_covariance);
  check_close(given.H, Symmetric3::diagonal(0.09, 0.09, 0.09));
  const double sigma = std::sqrt(29.0 / 3);
  const Bandwidth scott = select(m, spec_of(BandwidthRule::scott, CovarianceForm::iso));
  CHECK(scott.h == Approx(kScott / 2 * sigma).epsilon(1e-5));
  CHECK(scott.source == "scott");
  CHECK(scott.H == (scott.h * scott.h) * Symmetric3::diagonal(1, 1, 1));
  const Bandwidth silverman = select(m, spec_of(BandwidthRule::silverman, CovarianceForm::iso));
  CHECK(silverman.h == Approx(kA / 2 * sigma).epsilon(1e-5));
  CHECK(silverman.H.xx == Approx(silverman.h * silverman.h));
}

TEST_CASE("iso works on flat samples, and a number with it on one", "[bandwidth]") {
  const Moments flat = moments_of(Symmetric3::diagonal(3, 6, 0));
  CHECK(select(flat, spec_of(BandwidthRule::scott, CovarianceForm::iso)).h ==
        Approx(kScott / 2 * std::sqrt(3.0)).epsilon(1e-5));
  const Moments one = cloud_moments({1, 2, 3});
  check_close(select(one, spec_of(2.0, CovarianceForm::iso)).H, Symmetric3::diagonal(4, 4, 4));
}

TEST_CASE("three lengths and a matrix are H whatever the samples are", "[bandwidth]") {
  for (const Moments& m : {moments_of(kS), Moments(), cloud_moments({1, 2, 3})}) {
    const Bandwidth lengths = select(m, spec_of(Vec3{0.5, 2, 3}));
    CHECK(lengths.H == Symmetric3::diagonal(0.25, 4, 9));
    CHECK(lengths.h == 0);
    CHECK(lengths.source == "given");
    CHECK_FALSE(lengths.uses_covariance);
    const Bandwidth matrix = select(m, spec_of(Symmetric3{4, 1, 0, 3, -1, 2}));
    CHECK(matrix.H == Symmetric3{4, 1, 0, 3, -1, 2});
    CHECK(matrix.h == 0);
    CHECK(matrix.source == "given");
    CHECK_FALSE(matrix.uses_covariance);
  }
}

TEST_CASE("a covariance of one's own replaces that of the samples", "[bandwidth]") {
  BandwidthSpec spec = spec_of(BandwidthRule::scott);
  spec.covariance = kS;
  const Moments flat = moments_of(Symmetric3::diagonal(1, 1, 0));
  const double scott = KernelFunction::epanechnikov->scott, h_squared = scott * scott / 4;
  check_close(select(flat, spec).H, h_squared * kS);
  check_close(select(cloud_moments({1, 2, 3}), spec).H, scott * scott * kS);  // n_eff^(-1/7) = 1
  spec.form = CovarianceForm::diag;
  check_close(select(flat, spec).H, h_squared * Symmetric3::diagonal(4, 9, 16));
  spec.form = CovarianceForm::iso;
  check_close(select(flat, spec).H, h_squared * (29.0 / 3) * Symmetric3::diagonal(1, 1, 1));
}

TEST_CASE("regularize adds a share of the mean variance to the diagonal", "[bandwidth]") {
  BandwidthSpec spec = spec_of(1.0);
  spec.regularize = 0.3;
  const double added = 0.3 * 29 / 3;
  check_close(select(moments_of(kS), spec).H, kS + Symmetric3::diagonal(added, added, added));
  check_close(select(moments_of(Symmetric3::diagonal(3, 6, 0)), spec).H,
              Symmetric3::diagonal(3.9, 6.9, 0.9));
  for (double share : {-0.1, -1e-300, double(NAN), double(INFINITY)}) {
    spec.regularize = share;
    const Error error = thrown_error([&] { select(moments_of(kS), spec); });
    CHECK(error.kind() == ErrorKind::usage);
    CHECK(error.parameter() == "regularize");
  }
}

TEST_CASE("samples in a plane are refused with the flat direction", "[bandwidth]") {
  const auto message = [](Vec3 a, Vec3 b, CovarianceForm form = CovarianceForm::data) {
    Error error =
        thrown_error([&] { select(flat_moments(a, b), spec_of(BandwidthRule::scott, form)); });
    CHECK(error.kind() == ErrorKind::input);
    CHECK(says(error, "`regularize"));
    CHECK(says(error, "`covariance=iso`"));
    CHECK(says(error, "in a plane"));
    return error;
  };
  CHECK(says(message({0, 1, 0}, {0, 0, 1}), "along x (1, 0, 0)"));
  CHECK(says(message({1, 0, 0}, {0, 0, 1}), "along y (0, 1, 0)"));
  CHECK(says(message({1, 0, 0}, {0, 1, 0}), "along z (0, 0, 1)"));
  CHECK(says(message({1, 0, 0}, {0, 1, 0}, CovarianceForm::diag), "along z (0, 0, 1)"));
  const Error oblique = message({1, 1, 0}, {0, 0, 1});
  CHECK((says(oblique, "along (0.707, -0.707, ") || says(oblique, "along (-0.707, 0.707, ")));
}

TEST_CASE("samples on a line are refused with both flat directions", "[bandwidth]") {
  test::check_thrown(ErrorKind::input, {"on a line", "x (1, 0, 0)", "z (0, 0, 1)", "`regularize"},
                     [] {
                       select(flat_moments({0, 2, 0}, {0, 0, 0}), spec_of(0.5));
                     });
}

TEST_CASE("diag is content with samples in an oblique plane", "[bandwidth]") {
  const Moments oblique = flat_moments({1, 1, 0}, {0, 0, 1});
  CHECK_NOTHROW(select(oblique, spec_of(0.5, CovarianceForm::diag)));
  CHECK_THROWS_AS(select(oblique, spec_of(0.5)), Error);
}

TEST_CASE("axes in unlike units are not taken for flat", "[bandwidth]") {
  const Symmetric3 degrees_and_metres = Symmetric3::diagonal(1e-8, 1e-8, 1e8);
  check_close(select(moments_of(degrees_and_metres), spec_of(1.0)).H, degrees_and_metres);
  CHECK(select(moments_of(degrees_and_metres), spec_of(1.0)).H.xx == Approx(1e-8));
}

TEST_CASE("a bandwidth needs 2 distinct samples", "[bandwidth]") {
  for (const Moments& m :
       {Moments(), cloud_moments({1, 2, 3}), cloud_moments({1, 2, 3, 1, 2, 3, 1, 2, 3})})
    for (const BandwidthSpec& spec :
         {spec_of(BandwidthRule::silverman), spec_of(BandwidthRule::scott), spec_of(0.5),
          spec_of(0.5, CovarianceForm::diag),
          spec_of(BandwidthRule::silverman, CovarianceForm::iso)}) {
      test::check_thrown(ErrorKind::input,
                         {m.count() == 0 ? "no samples" : "fewer than 2 distinct samples"},
                         [&] { select(m, spec); });
    }
  const Moments two = cloud_moments({1, 2, 3, 1, 2, 4});
  CHECK_NOTHROW(select(two, spec_of(BandwidthRule::scott, CovarianceForm::iso)));
}

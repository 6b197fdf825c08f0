// Values that leave the range of double on the way to H are refused; bandwidths are never infinite.

#include <cmath>
#include <limits>
#include <random>

#include "bandwidth/bandwidth.hpp"
#include "core/cloud/moments.hpp"
#include "support/catch.hpp"
#include "support/thrown_error.hpp"

using namespace skde;
using test::says;
using test::thrown_error;

namespace {

Samples random_cloud(Vec3 scale, double weight = 1) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  Samples cloud;
  for (int i = 0; i < 100; ++i) {
    for (int axis = 0; axis < 3; ++axis) cloud.xyz.push_back(scale[axis] * normal(random));
    cloud.weights.push_back(weight);
  }
  return cloud;
}

Error refusal(const Samples& cloud, const BandwidthSpec& spec) {
  return thrown_error(
      [&] { select_bandwidth(compute_moments(cloud.view()), spec, KernelFunction::epanechnikov); });
}

BandwidthSpec with_covariance(const Symmetric3& covariance, CovarianceForm form) {
  return {.form = form, .covariance = covariance};
}

}  // namespace

TEST_CASE("weights whose squares leave the range of double are refused", "[bandwidth]") {
  for (const double weight : {1e200, 1e-200}) {
    const Error error = refusal(random_cloud({1, 1, 1}, weight), {});
    CHECK(error.kind() == ErrorKind::input);
    CHECK(says(error, "weights"));
  }
}

TEST_CASE("coordinates whose squares leave the range of double are refused", "[bandwidth]") {
  const Error error = refusal(random_cloud({1e200, 1e200, 1e200}), {});
  CHECK(error.kind() == ErrorKind::input);
  CHECK(says(error, "too large"));
}

TEST_CASE("a given covariance must be finite and positive definite", "[bandwidth]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Symmetric3& matrix :
       {Symmetric3::diagonal(-1, -1, -1), Symmetric3::diagonal(nan, 1, 1),
        Symmetric3::diagonal(0, 0, 0), Symmetric3{1, 2, 0, 1, 0, 1}})
    for (const CovarianceForm form :
         {CovarianceForm::data, CovarianceForm::diag, CovarianceForm::iso}) {
      const Error error = refusal(random_cloud({1, 1, 1}), with_covariance(matrix, form));
      CHECK(error.kind() == ErrorKind::input);
      CHECK(says(error, "`covariance"));
    }
}

TEST_CASE("a given covariance without samples has no rule to go by", "[bandwidth]") {
  const BandwidthSpec spec = with_covariance(Symmetric3::diagonal(1, 1, 1), CovarianceForm::data);
  CHECK(says(refusal(Samples{}, spec), "no samples"));
}

TEST_CASE("lengths whose squares leave the range of double are refused", "[bandwidth]") {
  for (const char* const text : {"1e200,1,1", "1,1e-200,1", "1e200"}) {
    test::check_thrown(ErrorKind::usage, {text}, [&] { parse_bandwidth(text); });
  }
  CHECK_THROWS_AS(parse_bandwidth("1;2;3"), Error);
  CHECK_THROWS_AS(parse_bandwidth("1,2,"), Error);
}

TEST_CASE("the flat direction is found whatever the units of the axes", "[bandwidth]") {
  // x varies by 1e-6; y and z vary by 1e4 but always together. The samples lie in a plane, whose
  // normal is not x.
  std::mt19937_64 random(4);
  std::normal_distribution<double> normal;
  Samples cloud;
  for (int i = 0; i < 200; ++i) {
    const double y = 1e4 * normal(random);
    cloud.xyz.insert(cloud.xyz.end(), {1e-6 * normal(random), y, 2 * y});
  }
  const Error error = refusal(cloud, {});
  CHECK(says(error, "in a plane"));
  CHECK((says(error, "0.894, -0.447") || says(error, "-0.894, 0.447")));
}

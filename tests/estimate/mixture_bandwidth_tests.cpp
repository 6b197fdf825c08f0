// The kernel of a mixture replaced by another, compared with values worked out by hand.

#include "bandwidth/mixture_bandwidth.hpp"

#include <cmath>

#include "support/catch.hpp"
#include "support/thrown_error.hpp"

namespace {

using namespace skde;
using namespace skde::test;

/// Masses of 1 and 3, and means 4 apart along x.
Mixture two_members(const Symmetric3& H) {
  Mixture mixture;
  mixture.members = {{1, 2, 3, 5, 2, 3}, {1, 3}};
  mixture.members.shapes = {2, 0, 0, 1, 0, 1, 1, 0.5, 0, 2, 0, 1};
  mixture.H = H;
  return mixture;
}

void check_is(const Symmetric3& found, const Symmetric3& expected) {
  for (int row = 0; row < 3; ++row)
    for (int column = 0; column < 3; ++column)
      CHECK(found(row, column) == Approx(expected(row, column)).margin(1e-12));
}

}  // namespace

TEST_CASE("the data of a mixture have its covariance without the kernel's part", "[bandwidth]") {
  // Means have a variance of 3 along x, and members of (1 C_1 + 3 C_2) / 4.
  check_is(data_covariance(two_members({})), {4.25, 0.375, 0, 1.75, 0, 1});
  check_is(data_covariance(two_members({0.25, 0.1, 0, 0.25, 0, 0.5})), {4, 0.275, 0, 1.5, 0, 0.5});
}

TEST_CASE("a new kernel of a mixture takes the place of the old one", "[bandwidth]") {
  const Mixture mixture = two_members(Symmetric3::diagonal(0.25, 0.25, 0.5));
  const Symmetric3 old = mixture.H, S{4, 0.375, 0, 1.5, 0, 0.5};
  BandwidthSpec spec;  // Silverman's rule for a Gaussian: h = (4 / (5 n))^(1/7)
  check_is(replaced_kernel(mixture, 1000, spec), std::pow(4.0 / 5000, 2.0 / 7) * S + -1.0 * old);
  spec.bandwidth = 0.5;
  check_is(replaced_kernel(mixture, {}, spec), 0.25 * S + -1.0 * old);
  spec.form = CovarianceForm::iso;
  check_is(replaced_kernel(mixture, {}, spec), Symmetric3::diagonal(0, 0, -0.25));
  spec.bandwidth = BandwidthRule::silverman;
  CHECK(says(thrown_error([&] { replaced_kernel(mixture, {}, spec); }), "number of samples"));
  spec.bandwidth = Vec3{1e-3, 1e-3, 1e-3};
  const Mixture narrow = two_members(Symmetric3::diagonal(0.5, 2.1, 0.5));
  CHECK(says(thrown_error([&] { replaced_kernel(narrow, {}, spec); }), "for ellipsoid 1,"));
}

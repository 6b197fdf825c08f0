#include <random>

#include "core/mixture/member_axes.hpp"
#include "support/catch.hpp"

namespace skde::test {
namespace {

/// A loss of a covariance: the sum over all nine entries of `by` times it.
double loss(const Symmetric3& by, const MemberAxes& axes) {
  const Symmetric3 c = covariance_of(axes);
  return by.xx * c.xx + by.yy * c.yy + by.zz * c.zz +
         2 * (by.xy * c.xy + by.xz * c.xz + by.yz * c.yz);
}

template <class Numbers>
void check_slopes(const Symmetric3& by, MemberAxes axes, Numbers MemberAxes::*numbers) {
  const MemberAxes gradient = gradient_by_axes(axes, by);
  for (std::size_t i = 0; i < (axes.*numbers).size(); ++i) {
    constexpr double kStep = 1e-5;
    const double at = (axes.*numbers)[i];
    (axes.*numbers)[i] = at + kStep;
    const double above = loss(by, axes);
    (axes.*numbers)[i] = at - kStep;
    const double below = loss(by, axes);
    (axes.*numbers)[i] = at;
    CAPTURE(i);
    CHECK((gradient.*numbers)[i] ==
          Approx((above - below) / (2 * kStep)).epsilon(1e-6).margin(1e-7));
  }
}

}  // namespace

TEST_CASE("Derivatives by the axes of a member are the slopes of a loss") {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> any(-1, 1);
  for (int number = 0; number < 50; ++number) {
    MemberAxes axes;
    for (double& scale : axes.log_scales) scale = any(random);
    for (double& part : axes.rotation) part = 2 * any(random);
    const Symmetric3 by{any(random), any(random), any(random),
                        any(random), any(random), any(random)};
    check_slopes(by, axes, &MemberAxes::log_scales);
    check_slopes(by, axes, &MemberAxes::rotation);
  }
}

TEST_CASE("A covariance by its axes has their squares along them") {
  // A turn by 90 degrees about z: x becomes y.
  const double half = std::sqrt(0.5);
  const Symmetric3 c =
      covariance_of(MemberAxes{{std::log(2.0), std::log(3.0), std::log(5.0)}, {half, 0, 0, half}});
  CHECK(c.xx == Approx(9));
  CHECK(c.yy == Approx(4));
  CHECK(c.zz == Approx(25));
  CHECK(c.xy == Approx(0).margin(1e-12));
}

}  // namespace skde::test

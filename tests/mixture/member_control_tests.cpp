#include "mixture/member_control.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "core/mixture/member.hpp"
#include "support/catch.hpp"

namespace skde::test {
namespace {

const Symmetric3 kKernel{1.5, 0.2, 0, 1.2, -0.1, 1};

std::vector<Member> random_members(std::size_t count) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> place(0, 30), size(0.5, 3), mass(-6, -3);
  std::vector<Member> members(count);
  for (Member& member : members) {
    member.log_mass = mass(random);
    for (double& at : member.mean) at = place(random);
    for (const int diagonal : {0, 2, 5}) member.factor[diagonal] = size(random);
  }
  return members;
}

/// The mass, and the first and second moments of a coordinate that depends on all three.
struct Moments {
  double mass = 0, first = 0, second = 0;
};

Moments moments_of(const std::vector<Member>& members) {
  Moments sums;
  for (const Member& member : members) {
    const Symmetric3 c = covariance_of(member, kKernel);
    const double mass = std::exp(member.log_mass);
    const double at = member.mean[0] + 2 * member.mean[1] - member.mean[2];
    const double variance = c.xx + 4 * c.yy + c.zz + 4 * c.xy - 2 * c.xz - 4 * c.yz;
    sums.mass += mass;
    sums.first += mass * at;
    sums.second += mass * (at * at + variance);
  }
  return sums;
}

}  // namespace

TEST_CASE("Merging keeps mass, mean and covariance, whatever the number that is left") {
  const std::vector<Member> all = random_members(300);
  const Moments before = moments_of(all);
  for (const std::size_t count : {299, 80, 7, 1}) {
    INFO(count);
    std::vector<Member> members = all;
    merge_members(members, count, kKernel);
    CHECK(members.size() == count);
    const Moments after = moments_of(members);
    CHECK(after.mass == Approx(before.mass).epsilon(1e-10));
    CHECK(after.first == Approx(before.first).epsilon(1e-10));
    CHECK(after.second == Approx(before.second).epsilon(1e-10));
  }
}

TEST_CASE("Merging takes the pair that adds the least error first, and no more than asked for") {
  std::vector<Member> members = random_members(3);
  for (Member& member : members) std::fill_n(member.mean, 3, 5.0);
  members[2].mean[0] = 25;  // far from the others
  merge_members(members, 2, kKernel);
  REQUIRE(members.size() == 2);
  CHECK(std::ranges::count_if(members, [](const Member& m) { return m.mean[0] == 25; }) == 1);
  merge_members(members, 5, kKernel);
  CHECK(members.size() == 2);
}

}  // namespace skde::test

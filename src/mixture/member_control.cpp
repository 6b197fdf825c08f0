#include "mixture/member_control.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace skde {
namespace {

void set_factor(Member& member, const Triangle3& l) {
  const double factor[6] = {l.xx, l.yx, l.yy, l.zx, l.zy, l.zz};
  std::ranges::copy(factor, member.factor);
}

void forget_steps(Member& member) {
  std::ranges::fill(member.momentum, 0.0);
  std::ranges::fill(member.spread, 0.0);
}

/// Splits a member in two of half its mass, at kShift deviations of C along C's longest axis on
/// both sides of the mean. The variance along it falls by what the two means have, if the member's
/// own is large enough.
Member split(Member& member, const Symmetric3& kernel) {
  constexpr double kShift = 0.5;
  const Symmetric3 own = factor_of(member).squared();
  const Eigen3 eigen = eigen_decomposition(own + kernel);
  const Vec3 axis = eigen.vectors[2];
  const double along = kShift * std::sqrt(eigen.values[2]);
  const Vec3 v{own.xx * axis.x + own.xy * axis.y + own.xz * axis.z,
               own.xy * axis.x + own.yy * axis.y + own.yz * axis.z,
               own.xz * axis.x + own.yz * axis.y + own.zz * axis.z};
  const double variance = axis.x * v.x + axis.y * v.y + axis.z * v.z;
  constexpr double kMost = 0.8;  // of the own variance along the axis
  const double less = std::min(along * along, kMost * variance);
  // own - s v v^T with s so that the variance along the axis falls by `less`.
  const double s = less / (variance * variance);
  const Symmetric3 rest = own + (-s) * Symmetric3{v.x * v.x, v.x * v.y, v.x * v.z,
                                                  v.y * v.y, v.y * v.z, v.z * v.z};
  const Triangle3 l = cholesky(rest);
  if (l.xx > 0 && l.yy > 0 && l.zz > 0) set_factor(member, l);
  member.log_mass -= std::log(2.0);
  forget_steps(member);
  Member other = member;
  for (int i = 0; i < 3; ++i) {
    member.mean[i] += along * axis[i];
    other.mean[i] -= along * axis[i];
  }
  return other;
}

}  // namespace

void move_members(std::vector<Member>& members, std::span<const double> shares, std::size_t count,
                  const Symmetric3& kernel) {
  std::vector<std::size_t> order(members.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  count = std::min(count, members.size() / 2);
  std::ranges::stable_sort(
      order, [&](std::size_t a, std::size_t b) { return shares[a] > shares[b]; });
  std::vector<std::size_t> crowded(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count));
  std::vector<bool> kept(members.size(), false);
  for (const std::size_t k : crowded) kept[k] = true;
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return members[a].log_mass < members[b].log_mass;
  });
  std::size_t taken = 0;
  for (const std::size_t k : order) {
    if (taken == count) break;
    if (kept[k]) continue;
    members[k] = split(members[crowded[taken++]], kernel);
  }
}

}  // namespace skde

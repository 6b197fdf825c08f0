#include "mixture/member_control.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "core/kernel/ellipsoid.hpp"
#include "core/morton_code.hpp"

namespace skde {
namespace {

void forget_steps(Member& member) {
  std::ranges::fill(member.momentum, 0.0);
  std::ranges::fill(member.spread, 0.0);
}

bool is_regular(const Triangle3& l) { return l.xx > 0 && l.yy > 0 && l.zz > 0; }

/// A member with its covariance, and its mass as a sum.
struct Gaussian {
  double mass;
  Vec3 mean;
  Symmetric3 covariance;
};

Gaussian gaussian_of(const Member& m, const Symmetric3& kernel) {
  return {std::exp(m.log_mass), {m.mean[0], m.mean[1], m.mean[2]}, covariance_of(m, kernel)};
}

/// The integral of the product of two Gaussians: one of the sum of their covariances.
double overlap(const Gaussian& a, const Gaussian& b) {
  constexpr double kConstant = 0.063493635934240970;  // (2 pi)^(-3/2)
  const Triangle3 l = cholesky(a.covariance + b.covariance);
  const Vec3 u = l.solved(a.mean - b.mean);
  return a.mass * b.mass * kConstant / l.determinant() *
         std::exp(-(u.x * u.x + u.y * u.y + u.z * u.z) / 2);
}

/// The Gaussian of their common mass, mean and covariance.
Gaussian merged(const Gaussian& a, const Gaussian& b) {
  const double mass = a.mass + b.mass, share = b.mass / mass;
  const Vec3 d = b.mean - a.mean;
  const double s = share * (1 - share);
  return {mass, a.mean + share * d,
          (1 - share) * a.covariance + share * b.covariance +
              s * Symmetric3{d.x * d.x, d.x * d.y, d.x * d.z, d.y * d.y, d.y * d.z, d.z * d.z}};
}

/// The integral of the squared change that merging makes.
double merge_cost(const Gaussian& a, const Gaussian& b) {
  const Gaussian c = merged(a, b);
  return overlap(a, a) + overlap(b, b) + overlap(c, c) +
         2 * (overlap(a, b) - overlap(a, c) - overlap(b, c));
}

/// Two members and the squared error that merging them would add.
struct Merge {
  std::size_t a, b;
  double cost;
};

std::vector<Gaussian> gaussians_of(std::span<const Member> members, const Symmetric3& kernel) {
  std::vector<Gaussian> all;
  all.reserve(members.size());
  for (const Member& member : members) all.push_back(gaussian_of(member, kernel));
  return all;
}

/// Returns the cheapest merge of each member with those that follow it, cheapest first.
std::vector<Merge> cheap_merges(std::span<const Member> members, const Symmetric3& kernel,
                                StartDraws* draws = nullptr) {
  constexpr std::size_t kFollowing = 12;
  constexpr double kStray = 0.5;  // of the error
  const std::vector<Gaussian> all = gaussians_of(members, kernel);
  std::vector<Merge> merges(members.size());
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < std::ssize(merges); ++i) {
    const auto a = static_cast<std::size_t>(i);
    Merge best{a, a, std::numeric_limits<double>::infinity()};
    for (std::size_t b = a + 1; b < std::min(all.size(), a + 1 + kFollowing); ++b)
      if (const double cost = merge_cost(all[a], all[b]); cost < best.cost) best = {a, b, cost};
    merges[a] = best;
  }
  if (draws)
    for (Merge& merge : merges) merge.cost *= 1 + kStray * draws->next();
  std::ranges::stable_sort(merges, {}, &Merge::cost);
  return merges;
}

/// Gives the first member the common mass, mean and covariance of both. Returns false, and changes
/// nothing, if rounding leaves it no covariance of its own besides the kernel's.
bool merge_into(Member& kept, const Member& other, const Symmetric3& kernel) {
  const Gaussian one = merged(gaussian_of(kept, kernel), gaussian_of(other, kernel));
  const Triangle3 l = cholesky(one.covariance + (-1.0) * kernel);
  if (!is_regular(l)) return false;
  set_factor(kept, l);
  kept.log_mass = std::log(one.mass);
  for (int axis = 0; axis < 3; ++axis) kept.mean[axis] = one.mean[axis];
  forget_steps(kept);
  return true;
}

/// Returns a code for a place, such that near places have near codes.
std::uint64_t place_code(const Member& member) {
  constexpr double kMost = (1 << 21) - 1, kParts = 8;  // of a cell
  const auto along = [&](int axis) {
    return static_cast<std::uint64_t>(
        std::clamp(std::floor((member.mean[axis] + 1024) * kParts), 0.0, kMost));
  };
  return morton_code(along(0), along(1), along(2));
}

}  // namespace

Member split_member(Member& member, const Symmetric3& kernel) {
  constexpr double kShift = 0.5;  // deviations of C
  constexpr double kMost = 0.8;   // of the own variance along the axis
  const Symmetric3 own = factor_of(member).squared();
  const Eigen3 eigen = eigen_decomposition(own + kernel);
  const Vec3 axis = eigen.vectors[2];
  const double along = kShift * std::sqrt(eigen.values[2]);
  const Vec3 v{own.xx * axis.x + own.xy * axis.y + own.xz * axis.z,
               own.xy * axis.x + own.yy * axis.y + own.yz * axis.z,
               own.xz * axis.x + own.yz * axis.y + own.zz * axis.z};
  const double variance = axis.x * v.x + axis.y * v.y + axis.z * v.z;
  // own - s v v^T, with s so that the variance along the axis falls by `less`.
  const double less = std::min(along * along, kMost * variance), s = less / (variance * variance);
  const Triangle3 l = cholesky(
      own + (-s) * Symmetric3{v.x * v.x, v.x * v.y, v.x * v.z, v.y * v.y, v.y * v.z, v.z * v.z});
  if (is_regular(l)) set_factor(member, l);
  member.log_mass -= std::numbers::ln2;
  forget_steps(member);
  Member other = member;
  for (int i = 0; i < 3; ++i) {
    member.mean[i] += along * axis[i];
    other.mean[i] -= along * axis[i];
  }
  return other;
}

void sort_members(std::vector<Member>& members) {
  std::vector<std::pair<std::uint64_t, std::size_t>> order(members.size());
  for (std::size_t k = 0; k < members.size(); ++k) order[k] = {place_code(members[k]), k};
  std::ranges::sort(order);
  std::vector<Member> sorted;
  sorted.reserve(members.size());
  for (const auto& [code, k] : order) sorted.push_back(members[k]);
  members = std::move(sorted);
}

double self_overlap(std::span<const Member> members, const Symmetric3& kernel) {
  const std::vector<Gaussian> all = gaussians_of(members, kernel);
  std::vector<double> sums(all.size(), 0);
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < std::ssize(all); ++i)
    for (const Gaussian& other : all)
      sums[static_cast<std::size_t>(i)] += overlap(all[static_cast<std::size_t>(i)], other);
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

void merge_members(std::vector<Member>& members, std::size_t count, const Symmetric3& kernel,
                   StartDraws draws) {
  // So many at most in one pass: the neighbours of those that are left have changed.
  constexpr std::size_t kPartOfPass = 8;
  while (sort_members(members), members.size() > count) {
    const std::size_t most =
        std::min(members.size() - count, std::max<std::size_t>(members.size() / kPartOfPass, 1));
    std::vector<bool> taken(members.size(), false), gone(members.size(), false);
    std::size_t merges = 0;
    for (const Merge& merge : cheap_merges(members, kernel, &draws)) {
      if (merges == most) break;
      if (merge.a == merge.b || taken[merge.a] || taken[merge.b]) continue;
      if (!merge_into(members[merge.a], members[merge.b], kernel)) continue;
      taken[merge.a] = taken[merge.b] = gone[merge.b] = true;
      ++merges;
    }
    if (merges == 0) return;
    std::size_t next = 0;
    std::erase_if(members, [&](const Member&) { return gone[next++]; });
  }
}

void move_members(std::vector<Member>& members, std::span<const double> shares, std::size_t count,
                  const Symmetric3& kernel) {
  std::vector<std::size_t> crowded(members.size());
  std::iota(crowded.begin(), crowded.end(), std::size_t{0});
  std::ranges::stable_sort(crowded,
                           [&](std::size_t a, std::size_t b) { return shares[a] > shares[b]; });
  std::vector<bool> taken(members.size(), false);
  std::size_t next = 0, moved = 0;
  for (const Merge& merge : cheap_merges(members, kernel)) {
    while (next < crowded.size() && taken[crowded[next]]) ++next;
    if (moved == count || next == crowded.size()) break;
    const std::size_t wanting = crowded[next];
    if (taken[merge.a] || taken[merge.b] || merge.a == wanting || merge.b == wanting) continue;
    // What a split may gain is a part of the error under the member.
    if (!(merge.cost < shares[wanting])) break;
    if (!merge_into(members[merge.a], members[merge.b], kernel)) continue;
    members[merge.b] = split_member(members[wanting], kernel);
    taken[merge.a] = taken[merge.b] = taken[wanting] = true;
    ++moved;
  }
}

}  // namespace skde

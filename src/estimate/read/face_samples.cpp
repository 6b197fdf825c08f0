#include "estimate/read/face_samples.hpp"

namespace skde {
namespace {

constexpr double kWiden = 1.5, kWidest = 4;  // relative to the kernels of the first request
constexpr std::size_t kLeastDeep = 4;        // deep samples for each one that is kept

bool lies_in(const Box& inner, const Box& outer) {
  bool inside = true;
  for (int axis = 0; axis < 3; ++axis)
    inside =
        inside && inner.lower[axis] >= outer.lower[axis] && inner.upper[axis] <= outer.upper[axis];
  return inside;
}

}  // namespace

void FaceSamples::keep(const SamplesView& points, const Box& deep) {
  forget();
  points_ = points.xyz.data();
  size_ = points.size();
  deep_ = deep;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (deep.holds(points.point(i))) {
      deep_weight_ += points.weight(i);
      continue;
    }
    if (near_.size() * kLeastDeep >= points.size()) return;
    append_samples(near_, points.slice(i, 1));
  }
  has_near_ = true;
}

MassInBox FaceSamples::mass_in_box(const BoxMass& mass, const SamplesView& points, int threads) {
  if (points.shaped()) return skde::mass_in_box(mass, points, threads);
  const bool known = points_ == points.xyz.data() && size_ == points.size() &&
                     lies_in(deep_, mass.deep_box(1)) && lies_in(mass.deep_box(kWidest), deep_);
  if (!known) keep(points, mass.deep_box(kWiden));
  if (!has_near_) return skde::mass_in_box(mass, points, threads);
  MassInBox found = skde::mass_in_box(mass, near_.view(), threads);
  found.weight += deep_weight_;
  return found;
}

}  // namespace skde

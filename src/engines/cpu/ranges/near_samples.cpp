#include "engines/cpu/ranges/near_samples.hpp"

#include "core/cloud/moments.hpp"

namespace skde {

Vec3 reach_about_points(const Kernel& kernel) {
  constexpr double kRounding = 1e-6;
  return (1 + kRounding) * kernel.half_extents();
}

NearSamples::NearSamples(const Kernel& kernel, const SamplesView& samples,
                         std::span<const double> points)
    : all_(samples) {
  if (samples.shaped() || points.empty()) return;
  const Box box = compute_moments({points}).bounds();
  const Vec3 reach = reach_about_points(kernel);
  const Box near{box.lower - reach, box.upper + reach};
  std::size_t end = 0;  // of a run of samples within reach
  const auto go_on = [&](bool held) {
    while (end < samples.size() && near.holds(samples.point(end)) == held) ++end;
  };
  go_on(true);
  if (end == samples.size()) return;
  some_.emplace();
  append_samples(*some_, samples.slice(0, end));
  while (end < samples.size()) {
    go_on(false);
    const std::size_t begin = end;
    go_on(true);
    append_samples(*some_, samples.slice(begin, end - begin));
  }
}

}  // namespace skde

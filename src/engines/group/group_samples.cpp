#include "engines/group/group_samples.hpp"

#include <algorithm>
#include <stdexcept>

namespace skde {

const GroupSamples& GroupSamples::of_group(const LoadedSamples& samples) {
  const auto* const own = dynamic_cast<const GroupSamples*>(&samples);
  if (!own) throw std::invalid_argument("the samples were not loaded by a group of devices");
  return *own;
}

void GroupSamples::look_at(const SamplesView& points) {
  constexpr std::size_t kMost = std::size_t{1} << 18;
  const std::size_t count = std::min(points.size(), kMost);
  heights_.resize(count);
  shaped_ = points.shaped();
  for (std::size_t k = 0; k < count; ++k) {
    const auto i = static_cast<std::size_t>(static_cast<double>(k) / static_cast<double>(count) *
                                            static_cast<double>(points.size()));
    heights_[k] = points.xyz[3 * i + 2];
  }
}

}  // namespace skde

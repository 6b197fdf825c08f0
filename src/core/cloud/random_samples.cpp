#include "core/cloud/random_samples.hpp"

#include <algorithm>

#include "core/cloud/counter_random.hpp"

namespace skde {

void RandomSamples::keep_least(std::vector<Entry>& entries) {
  if (entries.size() <= kMost) return;
  std::ranges::nth_element(entries, entries.begin() + kMost, {}, &Entry::hash);
  entries.resize(kMost);
}

void RandomSamples::add(const SamplesView& points) {
  shaped_ = shaped_ || points.shaped();
  if (shaped_) return kept_.clear();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::uint64_t index = next_ + i, hash = Draws(index).word();  // no two are equal
    if (hash > limit_ || !(points.weight(i) > 0)) continue;
    kept_.push_back({hash, index, points.point(i), points.weight(i)});
    if (kept_.size() < 2 * kMost) continue;
    keep_least(kept_);
    limit_ = std::ranges::max_element(kept_, {}, &Entry::hash)->hash;
  }
  next_ += points.size();
}

Samples RandomSamples::chosen() const {
  std::vector<Entry> entries = kept_;
  keep_least(entries);
  std::ranges::sort(entries, {}, &Entry::index);
  Samples samples;
  samples.xyz.reserve(3 * entries.size());
  const bool weighted = std::ranges::any_of(
      entries, [](double w) { return w != 1; }, &Entry::weight);
  for (const Entry& entry : entries) {
    samples.xyz.insert(samples.xyz.end(), {entry.point.x, entry.point.y, entry.point.z});
    if (weighted) samples.weights.push_back(entry.weight);
  }
  return samples;
}

}  // namespace skde

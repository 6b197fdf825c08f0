#pragma once

#include <cstdint>

#include "core/report/progress.hpp"
#include "core/volume.hpp"
#include "estimate/plan/plan_orders.hpp"

namespace skde {

struct DensityFacts;

/// Where the values of a density go that nobody wants to keep as a whole.
class SliceSink {
 public:
  virtual ~SliceSink() = default;
  /// True where all slices stay in memory until finish().
  virtual bool keeps_all() const { return false; }
  /// Bytes that it holds besides the slices, at the most, for a volume like that: the memory plan
  /// counts them.
  virtual std::int64_t held_bytes(const Grid&, Precision) const { return 0; }
  /// Before any sums: the volume to come. Whoever cannot take it throws now.
  virtual void expect(const Grid&, Precision) {}
  /// Before the first slices: what is known by now. Mass and peak are not, unless the volume comes
  /// as one slab.
  virtual void begin(const DensityFacts& facts) = 0;
  /// Slices from `z` on, normalised; they come in order and each once.
  virtual void take(std::int64_t z, const Volume& slices, Progress& progress) = 0;
  /// After the last slices: all facts.
  virtual void finish(const DensityFacts& facts, Progress& progress) = 0;
};

/// What a run into this sink, which follows at once, is planned for.
inline PlanOrders orders_for(const SliceSink& sink) {
  return {sink.keeps_all() ? VolumeUse::copied : VolumeUse::streamed, &sink, true};
}

}  // namespace skde

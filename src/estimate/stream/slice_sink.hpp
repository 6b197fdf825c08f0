#pragma once

#include <cstdint>

#include "core/report/progress.hpp"
#include "core/space/volume.hpp"
#include "estimate/plan/plan_orders.hpp"

namespace skde {

struct DensityFacts;

/// A consumer of the values of a density that nobody keeps as a whole.
class SliceSink {
 public:
  virtual ~SliceSink() = default;
  /// Returns whether all slices stay in memory until finish().
  virtual bool keeps_all() const { return false; }
  /// Returns the most bytes that it holds besides the slices, for such a volume. The memory plan
  /// counts them.
  virtual std::int64_t held_bytes(const Grid&, Precision) const { return 0; }
  /// Called before any sums with the volume to come. Throws if it cannot be taken.
  virtual void expect(const Grid&, Precision) {}
  /// Called before the first slices with what is known by then. Mass and peak are not known unless
  /// the volume comes as one slab.
  virtual void begin(const DensityFacts& facts) = 0;
  /// Takes normalised slices from `z` on in order, each once; standard errors follow as slices.
  virtual void take(std::int64_t z, const Volume& slices, Progress& progress) = 0;
  /// Called after the last slices with all facts.
  virtual void finish(const DensityFacts& facts, Progress& progress) = 0;
};

/// Returns the orders for a run into this sink that follows at once.
inline PlanOrders orders_for(const SliceSink& sink) {
  return {sink.keeps_all() ? VolumeUse::copied : VolumeUse::streamed, &sink, true};
}

}  // namespace skde

#pragma once

#include "estimate/plan/memory_plan.hpp"

namespace skde {

class SliceSink;

/// What a density is planned for, besides the request.
struct PlanOrders {
  VolumeUse use = VolumeUse::whole;
  const SliceSink* sink = nullptr;  ///< consumer of the slabs, with memory of its own; may be null
  /// True if the run follows at once, with the same progress. Sums that the bandwidth or the
  /// per-sample bandwidths depend on are then made, while a device starts and files are read.
  /// False: nothing is summed.
  bool runs = false;
};

}  // namespace skde

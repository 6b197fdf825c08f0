#pragma once

#include "estimate/plan/memory_plan.hpp"

namespace skde {

class SliceSink;

/// What a density is planned for, besides the request.
struct PlanOrders {
  VolumeUse use = VolumeUse::whole;
  const SliceSink* sink = nullptr;  ///< that takes the slabs, and memory of its own; may be null
  /// The run follows at once, with the same progress. Sums that bandwidth or widths depend on are
  /// made, and a device starts and files are read meanwhile. False: nothing is summed.
  bool runs = false;
};

}  // namespace skde

#pragma once

#include <cstdint>

#include "estimate/plan/memory_plan.hpp"

namespace skde {

class SliceSink;

struct SessionOptions {
  std::int64_t memory_limit = 0;  ///< bytes of host memory; 0: what is available
  /// Densities are computed often and stay where the engine works: a GPU's start and the ways there
  /// and back do not count where an engine is chosen.
  bool resident = false;
  /// Samples of files that are open in parts stay in memory for more densities. False: there is one
  /// density, and large clouds need not be in memory at once.
  bool keeps_samples = true;
};

/// What a density is planned for, besides the request.
struct PlanOrders {
  VolumeUse use = VolumeUse::whole;
  const SliceSink* sink = nullptr;  ///< that takes the slabs, and memory of its own; may be null
  /// The run follows at once, with the same progress. Sums that bandwidth or widths depend on are
  /// made, and a device starts and files are read meanwhile. False: nothing is summed.
  bool runs = false;
};

}  // namespace skde

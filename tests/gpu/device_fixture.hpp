#pragma once

#include <cstdlib>
#include <limits>
#include <string>

#include "engines/registry/registry.hpp"
#include "gpu/device_info.hpp"
#include "support/catch.hpp"
#include "support/engine_contract.hpp"
#include "support/skipped_test.hpp"

namespace skde::test {

/// Returns true, and skips the test, if no CUDA device can be used.
inline bool skipped() { return skipped(gpu::unavailable_reason()); }

/// The most items of a case. SKDE_MOST_ITEMS limits them for tools under which kernels take
/// hundreds of times as long, such as compute-sanitizer's racecheck.
inline std::size_t most_items() {
  const char* const most = std::getenv("SKDE_MOST_ITEMS");
  return most == nullptr ? std::numeric_limits<std::size_t>::max() : std::stoull(most);
}

/// Calls body(traits, options) for every CUDA engine in every precision that it serves.
template <class Body>
void for_each_cuda_engine(Body&& body) {
  int engines = 0;
  for (const EngineEntry& entry : engine_table())
    for (const Precision precision : {Precision::f32, Precision::f64}) {
      if (entry.traits.device != Device::cuda || !entry.traits.serves_grids ||
          !entry.unavailable().empty() || !(stated_error(entry.traits, precision) > 0))
        continue;
      EngineSetup options;
      options.precision = precision;
      body(entry.traits, options);
      ++engines;
    }
  CHECK(engines >= 5);
}

}  // namespace skde::test

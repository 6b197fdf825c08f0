#pragma once

#include <catch2/catch.hpp>
#include <iostream>
#include <string>

#include "engines/registry.hpp"
#include "gpu/device_info.hpp"
#include "support/engine_contract.hpp"

namespace skde::test {

/// True where no CUDA device can be used; prints why, which CTest shows as a skipped test.
inline bool skipped() {
  const std::string reason = gpu::unavailable_reason();
  if (reason.empty()) return false;
  std::cout << "SKIPPED: " << reason << std::endl;
  return true;
}

/// Calls body(traits, options) for every CUDA engine in every precision that it serves.
template <class Body>
void for_each_cuda_engine(Body&& body) {
  int engines = 0;
  for (const EngineEntry& entry : engine_table())
    for (const Precision precision : {Precision::f32, Precision::f64}) {
      if (entry.traits.device != Device::cuda || !(stated_error(entry.traits, precision) > 0))
        continue;
      EngineSetup options;
      options.precision = precision;
      body(entry.traits, options);
      ++engines;
    }
  CHECK(engines >= 5);
}

}  // namespace skde::test

#pragma once

#include <iostream>
#include <string>

#include "gpu/device_info.hpp"

namespace skde::test {

/// True where no CUDA device can be used; prints why, which CTest shows as a skipped test.
inline bool skipped() {
  const std::string reason = gpu::unavailable_reason();
  if (reason.empty()) return false;
  std::cout << "SKIPPED: " << reason << std::endl;
  return true;
}

}  // namespace skde::test

#pragma once

#include <cstdint>

#include "core/space/space.hpp"

namespace skde::kernels {

/// The coarse cells by which the samples are sorted: boxes of 2^shift grid cells, x fastest. They
/// cover the grid and the margin from which kernels reach into it.
struct CoarseCells {
  std::int32_t origin[3];  ///< grid cell at which coarse cell 0 begins
  std::int32_t shift[3];
  std::int32_t dims[3];

  SKDE_HOST_DEVICE std::int64_t count() const {
    return static_cast<std::int64_t>(dims[0]) * dims[1] * dims[2];
  }
};

}  // namespace skde::kernels

#pragma once

#include <cstdint>
#include <string>

/// How kernels are launched: small values, chosen from the device and printed in reports.
namespace skde::kernels {

/// The accumulation of chopped and cropped slices.
struct AccumulatePolicy {
  static constexpr int kBlock = 256;  ///< threads; a warp takes one slice at a time
  int blocks = 0;                     ///< blocks that stride over the slices
  std::string describe() const;
};
AccumulatePolicy accumulate_policy(int multiprocessors);

/// The baseline without chop and crop.
struct AllCellsPolicy {
  static constexpr int kBlock = 256;  ///< threads; each evaluates one cell
  std::int64_t samples = 256;         ///< samples a block goes through
  std::string describe() const;
};

}  // namespace skde::kernels

#pragma once

#include <cstdint>
#include <string>

/// Launch parameters of the kernels: small values, chosen for the device and printed in reports.
namespace skde::kernels {

/// Launch parameters of the accumulation of chopped and cropped slices.
struct AccumulatePolicy {
  static constexpr int kBlock = 256;  ///< threads; a warp takes one slice at a time
  int blocks = 0;                     ///< blocks that stride over the slices
  std::string describe() const;
};
AccumulatePolicy accumulate_policy(int multiprocessors);

/// Launch parameters of the baseline without chop and crop.
struct AllCellsPolicy {
  static constexpr int kBlock = 256;  ///< threads; each evaluates one cell
  std::int64_t samples = 256;         ///< samples that a block processes
  std::string describe() const;
};

}  // namespace skde::kernels

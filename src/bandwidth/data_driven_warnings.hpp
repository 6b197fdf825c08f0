#pragma once

#include <string_view>
#include <vector>

#include "bandwidth/cross_validation.hpp"
#include "core/report/warning.hpp"

namespace skde {

/// A data-driven bandwidth as it is looked at.
struct JudgedBandwidth {
  std::string_view rule;
  double h = 0, silverman = 0;  ///< of the kernel in use
  KernelFunction kernel{};
  LonelySamples lonely{};
};

/// What speaks against it: it is so far below Silverman's that it is that of single samples, or of
/// coordinates that were rounded or repeated; it is below the step that coordinates along an axis
/// are rounded to; or a few samples far from all others decide it. Each says what mends it.
std::vector<Warning> data_driven_warnings(const ScoredSamples& cloud,
                                          const JudgedBandwidth& judged);

}  // namespace skde

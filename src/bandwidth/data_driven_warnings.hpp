#pragma once

#include <string_view>
#include <vector>

#include "bandwidth/cross_validation.hpp"
#include "core/report/error.hpp"

namespace skde {

/// A data-driven bandwidth, as the warnings look at it.
struct JudgedBandwidth {
  std::string_view rule;
  double h = 0, silverman = 0;  ///< for the kernel in use
  KernelFunction kernel{};
  LonelySamples lonely{};
};

/// Returns whether many samples have the position of another: a thousandth.
bool has_ties(const SamplesView& samples);

/// Returns warnings of kernels that are narrower than the steps to which coordinates along an axis
/// are rounded.
std::vector<Warning> step_warnings(const ScoredSamples& cloud, const JudgedBandwidth& judged);

/// Returns warnings about a data-driven bandwidth, each with its remedy. h may be so far below
/// Silverman's that it reflects single samples, or rounded or repeated coordinates. It may be below
/// the step to which coordinates along an axis are rounded. Or a few samples far from all others
/// may decide it.
std::vector<Warning> data_driven_warnings(const ScoredSamples& cloud,
                                          const JudgedBandwidth& judged);

}  // namespace skde

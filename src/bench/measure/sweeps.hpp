#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bench/report/chart.hpp"
#include "bench/results/result_cases.hpp"
#include "bench/results/results.hpp"

namespace skde::bench {

/// What grows from case to case: N, M or h.
enum class Sweep { samples, cells, bandwidth };

/// The symbol of what grows: "N".
std::string sweep_symbol(Sweep sweep);
ChartAxis sweep_axis(Sweep sweep);
/// The value of what grows.
double sweep_value(const Result& result, Sweep sweep);

/// Results whose cases differ in nothing but what grows.
struct SweepGroup {
  CaseKey key;  ///< 0 for what grows; h is -1 for Silverman's, which changes with N
  std::vector<const Result*> rows;

  /// "M = 100, h = 1, five-gaussians".
  std::string text() const;
  /// The same for the names of files: "m100-h1-five-gaussians".
  std::string file_text() const;
};

/// The groups that have times at two values at least, so that they make a line. Those of the cloud
/// that was measured first come last, large N and M after small ones.
std::vector<SweepGroup> sweep_groups(const RunRecord& run, Sweep sweep);

/// What the group has no times for, and why, the same reasons together: "Not drawn: naive at N =
/// 10⁵ (skipped: would take 110 s)". Empty where nothing is missing.
std::string missing_text(const SweepGroup& group, Sweep sweep, const MethodNames& names);

/// The methods of the group whose values are off the density, and how far at most: "Other values
/// than the density: mpdfestimator, off by up to 0.21 of the peak". Empty where there are none.
std::string inexact_text(const SweepGroup& group, const MethodNames& names);

}  // namespace skde::bench

#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/results/results.hpp"

namespace skde::bench {

/// How many times longer the second of two sets of times is: the ratio of their minima. `low` and
/// `high` replace one of the minima by that set's upper quartile.
struct Ratio {
  double value = 0, low = 0, high = 0;
};
/// Throws std::invalid_argument if one set is empty.
Ratio time_ratio(std::span<const double> before, std::span<const double> after);

/// How a method on a case changed from one file to another.
enum class Verdict {
  faster,
  within_noise,
  slower,
  lost,         ///< measured before, but not now
  gained,       ///< measured now, but not before
  unmeasured,   ///< not measured in either file
  only_before,  ///< only in the older file
  only_after
};
/// Smaller relative differences are never called a change.
inline constexpr double kLeastChange = 0.05;
/// Returns slower if even the fastest run takes longer than three of four did before and the
/// minimum grew by more than `least`. The rule for faster is the same, reversed.
Verdict judge_change(const Ratio& ratio, double least = kLeastChange);

/// The verdict on one method and case. Both files have it, or only one of them.
struct ComparedResult {
  Verdict verdict;
  const Result *before, *after;  ///< null if it is only in the other file
  std::optional<Ratio> ratio{};  ///< after / before, if both were measured
};

/// Pairs the results of two runs, which must outlive the returned value. Results match if
/// experiment, case, method, device, kernel and precision are the same; several of them match in
/// their order. The order is that of the older file; results only in the newer file come last.
/// `least` is the relative change from which times count as different.
std::vector<ComparedResult> compare_runs(const RunRecord& before, const RunRecord& after,
                                         double least);
std::size_t count(const std::vector<ComparedResult>& rows, Verdict verdict);

/// Returns the comparison as text: a row per result, results in only one file, differences of the
/// machines, and counts at the end.
std::string comparison_text(const std::vector<ComparedResult>& rows, const MachineRecord& before,
                            const MachineRecord& after);

}  // namespace skde::bench

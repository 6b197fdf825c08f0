#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/results/results.hpp"

namespace skde::bench {

/// How many times as long the second of two samples of times takes: the ratio of the minima, which
/// lies between those of a minimum and the other's upper quartile.
struct Ratio {
  double value = 0, low = 0, high = 0;
};
/// Throws std::invalid_argument where one has no times.
Ratio time_ratio(std::span<const double> before, std::span<const double> after);

/// What became of a method on a case from one file to another.
enum class Verdict {
  faster,
  within_noise,
  slower,
  lost,         ///< measured before, without times now
  gained,       ///< the other way around
  unmeasured,   ///< without times in both
  only_before,  ///< in one file alone
  only_after
};
/// Differences of fewer than this share are never called a change.
inline constexpr double kLeastChange = 0.05;
/// Slower where even the fastest run takes longer than three of four did before, and the minimum
/// grew by more than `least`; faster by the same rule the other way around.
Verdict judge_change(const Ratio& ratio, double least = kLeastChange);

/// The same method on the same case in both files, or a result of one of them.
struct ComparedResult {
  Verdict verdict;
  const Result *before, *after;  ///< null where it is in the other file alone
  std::optional<Ratio> ratio{};  ///< after / before, where both were measured
};

/// Puts the results of two runs beside each other, which must outlive this: those with the same
/// experiment, case, method, device, kernel and precision, the first with the first where there are
/// several, in the order of the older file; those of the newer file alone come last. `least` is the
/// share by which a time has to differ to be called a change.
std::vector<ComparedResult> compare_runs(const RunRecord& before, const RunRecord& after,
                                         double least);
std::size_t count(const std::vector<ComparedResult>& rows, Verdict verdict);

/// The comparison as text: a row for each result, what is in one file alone, the machines where
/// they differ, and the counts at the end.
std::string comparison_text(const std::vector<ComparedResult>& rows, const MachineRecord& before,
                            const MachineRecord& after);

}  // namespace skde::bench

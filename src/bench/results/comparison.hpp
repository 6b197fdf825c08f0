#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "bench/measure/statistics.hpp"
#include "bench/results/results.hpp"

namespace skde::bench {

/// What became of a method on a case from one file to another.
enum class Verdict {
  faster,
  within_noise,
  slower,
  lost,       ///< measured before, without times now
  gained,     ///< without times before, measured now
  unmeasured  ///< without times in both
};
std::string_view verdict_name(Verdict verdict);

/// The same method on the same case in both files.
struct ComparedResult {
  Result before, after;
  std::optional<Ratio> ratio;  ///< after / before, where both were measured
  Verdict verdict = Verdict::unmeasured;
};

struct Comparison {
  std::vector<ComparedResult> both;  ///< in the order of the older file
  std::vector<Result> only_before, only_after;

  std::size_t count(Verdict verdict) const;
};

/// Puts the results of two runs beside each other: those with the same experiment, case, method,
/// device, kernel and precision, the first with the first where there are several. `least` is the
/// share by which a time has to differ to be called a change (judge_change).
Comparison compare_runs(const RunRecord& before, const RunRecord& after, double least);

/// The comparison as text: a row for each result, what is in one file alone, the machines where
/// they differ, and the counts at the end.
std::string comparison_text(const Comparison& comparison, const RunRecord& before,
                            const RunRecord& after);

}  // namespace skde::bench

#include "bench/results/comparison.hpp"

#include <algorithm>

#include "bench/results/result_cases.hpp"

namespace skde::bench {
namespace {

bool is_same_row(const Result& a, const Result& b) {
  return case_of(a) == case_of(b) && a.method == b.method && a.device == b.device &&
         a.kernel == b.kernel && a.precision == b.precision;
}

ComparedResult compare_results(const Result& before, const Result& after, double least) {
  ComparedResult row{before, after, {}, Verdict::unmeasured};
  const bool was = is_timed(before.status), is = is_timed(after.status);
  if (was != is) row.verdict = is ? Verdict::gained : Verdict::lost;
  if (!was || !is) return row;
  row.ratio = time_ratio(before.seconds, after.seconds);
  switch (judge_change(before.seconds, after.seconds, least)) {
    case Change::faster:
      row.verdict = Verdict::faster;
      break;
    case Change::slower:
      row.verdict = Verdict::slower;
      break;
    case Change::within_noise:
      row.verdict = Verdict::within_noise;
  }
  return row;
}

}  // namespace

std::string_view verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::faster:
      return "faster";
    case Verdict::within_noise:
      return "within noise";
    case Verdict::slower:
      return "SLOWER";
    case Verdict::lost:
      return "LOST";
    case Verdict::gained:
      return "gained";
    case Verdict::unmeasured:
      break;
  }
  return "unmeasured";
}

std::size_t Comparison::count(Verdict verdict) const {
  return static_cast<std::size_t>(std::ranges::count(both, verdict, &ComparedResult::verdict));
}

Comparison compare_runs(const RunRecord& before, const RunRecord& after, double least) {
  Comparison comparison;
  std::vector<const Result*> left;
  for (const Result& r : after.results) left.push_back(&r);
  for (const Result& old : before.results) {
    const auto found =
        std::ranges::find_if(left, [&](const Result* now) { return is_same_row(old, *now); });
    if (found == left.end()) {
      comparison.only_before.push_back(old);
      continue;
    }
    comparison.both.push_back(compare_results(old, **found, least));
    left.erase(found);
  }
  for (const Result* now : left) comparison.only_after.push_back(*now);
  return comparison;
}

}  // namespace skde::bench

#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/results/results.hpp"

namespace skde::bench {

/// What the methods of one row of a comparison have in common.
struct CaseKey {
  std::string experiment, cloud;
  bool weighted = false;
  std::uint64_t samples = 0;
  std::int64_t cells = 0;
  double h = 0;

  auto operator<=>(const CaseKey&) const = default;
};

CaseKey case_of(const Result& result);

/// True where h is Silverman's for the samples, so that cases of other sizes belong to it.
bool is_silverman(const CaseKey& key);

/// "10⁵", "250,000", "64": as short as it is exact.
std::string short_count(std::uint64_t count);
/// "4.2 TB/s"; without a unit "4.2 T/s".
std::string rate_text(double per_second, std::string_view unit);
/// "h = 1", "Silverman's h"; empty where there is no kernel.
std::string bandwidth_text(const CaseKey& key);
/// "five-gaussians, weighted".
std::string cloud_text(const CaseKey& key);
/// "N = 10⁵, M = 100, h = 1, five-gaussians".
std::string case_text(const CaseKey& key);

/// The name of a result's method among those of a run: with the kernel or the precision where the
/// method occurs with several, or with a kernel that most methods do not have.
class MethodNames {
 public:
  explicit MethodNames(const std::vector<Result>& results);

  std::string operator()(const Result& result) const;
  /// All names in the order of their first result; a name's place is the style of its series.
  const std::vector<std::string>& all() const { return names_; }
  std::size_t style(const std::string& name) const;

 private:
  std::string usual_kernel_;
  std::vector<std::string> many_precisions_;  ///< methods with more than one precision
  std::vector<std::string> names_;
};

/// The method that others are compared with where none is named: the first of openmp,
/// cuda-chop-crop and naive that was measured, otherwise the first one measured that has updates;
/// empty where none was.
std::string usual_baseline(const std::vector<Result>& results);

/// The measured result of the baseline on the case of `result`, in its precision where there is
/// such a one; null where there is none.
const Result* baseline_of(const Result& result, const std::vector<const Result*>& rows,
                          const std::string& baseline);

}  // namespace skde::bench

#pragma once

#include <string>
#include <vector>

#include "cli/command_result.hpp"
#include "cli/results/any_table.hpp"
#include "estimate/plan/sums_plan.hpp"

namespace skde::cli {

/// The plan of a density, for output.
struct PlanShown {
  std::vector<std::string> inputs;
  const DensityPlan* plan;
  const SumsPlan* sums = nullptr;  ///< plan of a part or a window
};
/// Only the offers of a plan.
struct OffersShown : PlanShown {};

/// Lengths are in world units, times in seconds, sizes in bytes.
void add_fields(Fields<PlanShown>& fields);
void add_fields(Fields<OffersShown>& fields);
void add_fields(Fields<WorkForecast>& fields);

/// Returns a table of what each engine would do for a cloud.
std::string offers_text(const DensityPlan& plan);
/// Returns the bytes needed for all samples and cells of the plan.
double bytes_of(const MemoryNeed& need, const DensityPlan& plan);

/// Returns the result of a command that only plans. The errors of a part or a window are 0, as they
/// follow from the peak.
CommandResult plan_result(const SummaryForm& form, const std::vector<std::string>& inputs,
                          const DensityPlan& plan);
CommandResult plan_result(const SummaryForm& form, const std::vector<std::string>& inputs,
                          const SumsPlan& plan);

}  // namespace skde::cli

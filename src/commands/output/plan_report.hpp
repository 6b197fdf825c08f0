#pragma once

#include <string>
#include <vector>

#include "cli/command_result.hpp"
#include "cli/results/any_table.hpp"
#include "estimate/plan/sums_plan.hpp"

namespace skde::cli {

/// The plan of a density of files.
struct PlanShown {
  std::vector<std::string> inputs;
  const DensityPlan* plan;
  const SumsPlan* sums = nullptr;  ///< the same of a part or a window
};
/// Its offers alone.
struct OffersShown : PlanShown {};

/// Lengths are in world units, times in seconds, sizes in bytes.
void add_fields(Fields<PlanShown>& fields);
void add_fields(Fields<OffersShown>& fields);
void add_fields(Fields<WorkForecast>& fields);

/// What each engine would do for a cloud, as a table.
std::string offers_text(const DensityPlan& plan);
/// Bytes of a need for all samples and cells of the plan.
double bytes_of(const MemoryNeed& need, const DensityPlan& plan);

/// What a command returns that only plans. Errors of a part or a window are 0, as they follow from
/// the peak.
CommandResult plan_result(const SummaryForm& form, const std::vector<std::string>& inputs,
                          const DensityPlan& plan);
CommandResult plan_result(const SummaryForm& form, const std::vector<std::string>& inputs,
                          const SumsPlan& plan);

}  // namespace skde::cli

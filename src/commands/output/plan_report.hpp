#pragma once

#include <string>
#include <vector>

#include "cli/results/any_table.hpp"
#include "estimate/plan/density_plan.hpp"

namespace skde::cli {

/// The plan of a density of files.
struct PlanShown {
  std::vector<std::string> inputs;
  const DensityPlan* plan;
};
/// Its offers alone.
struct OffersShown : PlanShown {};

/// Lengths are in world units, times in seconds, sizes in bytes.
void add_fields(Fields<PlanShown>& fields);
void add_fields(Fields<OffersShown>& fields);
void add_fields(Fields<WorkForecast>& fields);

/// What each engine would do for a cloud, as a table.
std::string offers_text(const DensityPlan& plan);
/// What `skde density` would do, and what that takes; the offers of the engines behind it.
std::string plan_text(const DensityPlan& plan);
/// Bytes of a need for all samples and cells of the plan.
double bytes_of(const MemoryNeed& need, const DensityPlan& plan);

}  // namespace skde::cli

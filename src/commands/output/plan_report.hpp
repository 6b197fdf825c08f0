#pragma once

#include <string>
#include <vector>

#include "cli/results/any_table.hpp"
#include "estimate/plan/sums_plan.hpp"

namespace skde::cli {

/// The plan of a density, for output. Its documents can be read again, except the sums.
struct PlanShown : DensityPlan {
  std::vector<std::string> inputs{};
  const SumsPlan* sums = nullptr;  ///< plan of a part or a window
};
/// The same plan, shown only by its offers.
struct OffersShown : PlanShown {};

/// Lengths are in world units, times in seconds, sizes in bytes.
void add_fields(Fields<PlanShown>& fields);
void add_fields(Fields<OffersShown>& fields);
void add_fields(Fields<WorkForecast>& fields);

}  // namespace skde::cli

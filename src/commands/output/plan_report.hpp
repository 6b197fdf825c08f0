#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/command_result.hpp"
#include "estimate/plan/sums_plan.hpp"

namespace skde::cli {

/// What each engine would do for a cloud: a table for people, and one JSON object.
std::string offers_text(const DensityPlan& plan);
nlohmann::ordered_json offers_json(const std::vector<std::string>& inputs, const DensityPlan& plan);

/// {"seconds", "host_bytes", "result_bytes", "on_device"}.
nlohmann::ordered_json forecast_json(const WorkForecast& forecast);

/// What `skde density` would do, and what that takes; the offers of the engines behind it.
std::string plan_text(const DensityPlan& plan);
/// The same as one JSON object; lengths in world units, times in seconds, sizes in bytes.
nlohmann::ordered_json plan_json(const std::vector<std::string>& inputs, const DensityPlan& plan);

/// The same of sums in whole numbers. Errors are 0, as they follow from the peak.
std::string plan_text(const SumsPlan& plan);
nlohmann::ordered_json plan_json(const std::vector<std::string>& inputs, const SumsPlan& plan);

/// What a command returns that only plans.
template <class Plan>
CommandResult plan_result(const SummaryForm& form, const std::vector<std::string>& inputs,
                          const Plan& plan) {
  return {form, plan_json(inputs, plan), plan_text(plan)};
}

}  // namespace skde::cli

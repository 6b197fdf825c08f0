#pragma once

#include "service/jobs/process_table.hpp"
#include "service/service_limits.hpp"
#include "service/store/data_folder.hpp"
#include "service/worker/run_planner.hpp"

namespace skde::service {

/// True where runs of this process tell what they would take before they begin.
bool predicts(const Process& process);

/// Fills in why a run of this process can never end well here, with the numbers, where that is so:
/// by its own refusal, or because its result or its time are beyond the limits.
RunForecast judged(RunForecast forecast, const Process& process, const ServiceLimits& limits,
                   const DataFolder& folder);

}  // namespace skde::service

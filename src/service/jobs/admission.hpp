#pragma once

#include "service/jobs/process_table.hpp"
#include "service/service_limits.hpp"
#include "service/store/data_folder.hpp"
#include "service/worker/run_planner.hpp"

namespace skde::service {

/// Returns true if runs of this process can be planned before they begin.
bool predicts(const Process& process);

/// Sets the refusal if a run of this process can never succeed here: because it refuses itself, or
/// because its result or its time is beyond the limits. The refusal gives the numbers.
RunForecast judged(RunForecast forecast, const Process& process, const ServiceLimits& limits,
                   const DataFolder& folder);

}  // namespace skde::service

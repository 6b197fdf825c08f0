#pragma once

#include "service/answer/service_limits.hpp"
#include "service/jobs/process_table.hpp"
#include "service/store/data_folder.hpp"
#include "service/worker/run_planner.hpp"

namespace skde::service {

/// Returns true if runs of this process can be planned before they begin.
bool predicts(const Process& process);

/// Returns the time that a run of such a process takes by the size of the files of its order.
RunForecast forecast_by_size(const Process& process, const nlohmann::ordered_json& order,
                             const DataFolder& folder);

/// Sets the refusal if a run of this process can never succeed here: because it refuses itself, or
/// because its result or its time is beyond the limits. The refusal gives the numbers. `most`:
/// bytes that its result may have.
RunForecast judged(RunForecast forecast, const Process& process, const ServiceLimits& limits,
                   const DataFolder& folder, std::uint64_t most);

}  // namespace skde::service

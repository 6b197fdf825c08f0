#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "service/jobs/execution_request.hpp"
#include "service/jobs/worker_order.hpp"
#include "service/store/cloud_shelf.hpp"

namespace skde::service {

/// The result of a job that another job names as input.
struct NamedVolume {
  std::string key, path, file;      ///< `file`: the name of the file at the path
  std::vector<std::string> beside;  ///< names of the other files of the result
};

/// A request with all its inputs found: what determines its result, and the order for a worker.
// NOLINTNEXTLINE(bugprone-exception-escape): moved JSON throws nothing
struct RunPlan {
  nlohmann::ordered_json identity;  ///< equal for equal results
  WorkerOrder order;
  std::string key;                    ///< of the identity
  std::vector<ServerFilePtr> opened;  ///< named by the order; open until the run ends
};

/// Plans a run on files of this owner; `volume_of` finds the volume of a job by its ID. Both throw
/// Problem.
RunPlan plan_run(const ExecutionRequest& request, const std::string& owner, CloudShelf& clouds,
                 const std::function<NamedVolume(const std::string&)>& volume_of);

}  // namespace skde::service

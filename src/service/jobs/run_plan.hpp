#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "service/jobs/execution_request.hpp"
#include "service/store/cloud_shelf.hpp"

namespace skde::service {

/// The result of a job that another job names as input.
struct NamedVolume {
  std::string key, path, file;  ///< `file`: the name of the file at the path
};

/// A request with all its inputs found: what determines its result, and the order for a worker.
// NOLINTNEXTLINE(bugprone-exception-escape): moved JSON throws nothing
struct RunPlan {
  nlohmann::ordered_json identity;    ///< equal for equal results
  nlohmann::ordered_json order;       ///< arguments that name output files are objects
  std::string key;                    ///< of the identity
  std::vector<ServerFilePtr> opened;  ///< named by the order; open until the run ends
};

/// Plans a run on files of this owner; `volume_of` finds the volume of a job by its ID. Both throw
/// Problem.
RunPlan plan_run(const ExecutionRequest& request, const std::string& owner, CloudShelf& clouds,
                 const std::function<NamedVolume(const std::string&)>& volume_of);

/// Returns the order of a run that writes into this folder, which its users do not see.
nlohmann::ordered_json order_in(const std::string& folder, nlohmann::ordered_json order);

}  // namespace skde::service

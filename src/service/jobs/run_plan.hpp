#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "service/jobs/execution_request.hpp"
#include "service/store/cloud_shelf.hpp"

namespace skde::service {

/// A job's result as another one names it.
struct NamedVolume {
  std::string key, path, file;      ///< `file`: the name of the file at the path
  std::vector<std::string> beside;  ///< names of the other files of the result
};

/// A request with everything that it names found: what decides its result, and what a worker is
/// told.
// NOLINTNEXTLINE(bugprone-exception-escape): moved JSON throws nothing
struct RunPlan {
  nlohmann::ordered_json identity;    ///< the same for the same result
  nlohmann::ordered_json order;       ///< of files by the names that clients know
  std::string key;                    ///< of the identity
  std::vector<ServerFilePtr> opened;  ///< which the order names, until the run has ended
};

/// Of files of this owner; `volume_of` finds the volume of a job by its ID. It and this throw
/// Problem.
RunPlan plan_run(const ExecutionRequest& request, const std::string& owner, CloudShelf& clouds,
                 const std::function<NamedVolume(const std::string&)>& volume_of);

}  // namespace skde::service

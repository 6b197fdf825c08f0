#pragma once

#include <functional>

#include "service/http/service_routes.hpp"
#include "service/jobs/execution_request.hpp"

namespace skde::service {

/// Receives the request, and what answers it.
using Linked = std::function<void(ExecutionRequest, Respond)>;

/// Reads the body of an execution. Inputs may be links (`{"href"}`) to clouds and jobs of this
/// service, or data (RFC 2397), which become clouds of this owner first, unless the answer is an
/// error. No other links are opened. Without data, `then` is called before this returns. Throws
/// Problem, or answers with it.
void read_linked_execution(ServiceState& state, const Process& process, const Request& request,
                           const Respond& respond, Linked then);

}  // namespace skde::service

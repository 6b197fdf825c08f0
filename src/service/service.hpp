#pragma once

#include "service/service_options.hpp"

namespace skde::service {

/// Serves until SIGTERM or SIGINT. Throws Error if the service cannot start.
void serve(const ServiceOptions& options);

}  // namespace skde::service

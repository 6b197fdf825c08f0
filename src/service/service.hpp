#pragma once

#include "service/service_options.hpp"

namespace skde::service {

/// Serves until it is told to end by SIGTERM or SIGINT. Throws Error where it cannot start.
void serve(const ServiceOptions& options);

}  // namespace skde::service

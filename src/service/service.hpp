#pragma once

#include <string>
#include <vector>

#include "cli/options/option_table.hpp"
#include "service/answer/service_limits.hpp"
#include "service/http/listener.hpp"

namespace skde::service {

struct ServiceOptions {
  std::string data, token_file, access_log;
  ListenAddress listen;
  std::vector<std::string> allowed_paths;
  double keep_days = 30;
  ServiceLimits limits;
};

cli::OptionTable make_service_table(ServiceOptions& options);
/// Throws Error(usage) if flags are missing, or would give others access.
void check_service_options(const ServiceOptions& options, const cli::ParsedFlags& flags);

/// Serves until SIGTERM or SIGINT. Throws Error if the service cannot start.
void serve(const ServiceOptions& options);

}  // namespace skde::service

#include "service/service.hpp"

#include <string>
#include <tuple>
#include <vector>

#include "support/catch.hpp"

namespace {

using namespace skde::service;

/// All options that have a default.
auto all_of(const ServiceOptions& options) {
  const ServiceLimits& l = options.limits;
  return std::tuple(options.listen.host, options.listen.port, options.keep_days, l.header_time,
                    l.idle_time, l.body_time, l.cloud_bytes, l.connections, l.queue, l.jobs_a_token,
                    l.bytes_a_token, l.sync_time, l.run_seconds, l.result_bytes, l.drain_time);
}

}  // namespace

TEST_CASE("the options of the service have the defaults that are stated") {
  ServiceOptions described;
  int stated = 0;
  for (const auto& group : make_service_table(described).describe().groups)
    for (const auto& flag : group.flags) {
      const std::string& value = flag.by_default;
      if (value.empty() || value.find(' ') != value.npos || value == "none") continue;
      ServiceOptions options;
      const std::vector<std::string> arguments{"--" + flag.name, value};
      make_service_table(options).parse(arguments);
      INFO(flag.name << ' ' << value);
      CHECK(all_of(options) == all_of(ServiceOptions()));
      ++stated;
    }
  CHECK(stated > 9);
}

#pragma once

#include <cstddef>
#include <cstdint>

namespace skde::service {

/// What the connections have carried, for the metrics.
struct Traffic {
  std::size_t connections = 0, watchers = 0;
  std::uint64_t requests = 0, bytes_in = 0, bytes_out = 0, refused = 0;
};

}  // namespace skde::service

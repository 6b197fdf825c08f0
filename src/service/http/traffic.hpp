#pragma once

#include <cstddef>
#include <cstdint>
#include <set>

namespace skde::service {

class HttpSession;

/// The connections, and what they have carried, for the metrics.
struct Traffic {
  std::size_t connections = 0, watchers = 0;
  std::uint64_t requests = 0, bytes_in = 0, bytes_out = 0, refused = 0;
  std::set<HttpSession*> sessions{};
  bool is_ending = false;  ///< no connection outlives the request that is in work
};

}  // namespace skde::service

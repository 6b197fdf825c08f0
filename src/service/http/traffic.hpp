#pragma once

#include <cstddef>
#include <cstdint>
#include <set>

namespace skde::service {

class HttpSession;

/// The open connections, and counters for the metrics.
struct Traffic {
  std::size_t connections = 0, watchers = 0;
  std::uint64_t requests = 0, bytes_in = 0, bytes_out = 0, refused = 0;
  std::set<HttpSession*> sessions{};
  bool is_ending = false;  ///< every connection ends after its current request
};

}  // namespace skde::service

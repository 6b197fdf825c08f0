#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "service/http/access_log.hpp"

namespace skde::service {

class HttpSession;

/// The open connections, and counters for the metrics.
struct Traffic {
  std::size_t connections = 0, watchers = 0;
  std::uint64_t requests = 0, bytes_in = 0, bytes_out = 0, refused = 0;
  std::map<unsigned, std::uint64_t> answers{};  ///< by status
  std::set<HttpSession*> sessions{};
  std::map<std::string, std::size_t> held{};  ///< connections by owner
  AccessLog log{};
  bool is_ending = false;  ///< every connection ends after its current request
};

}  // namespace skde::service

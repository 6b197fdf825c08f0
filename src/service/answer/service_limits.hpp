#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace skde::service {

/// Limits of what one client, or all clients together, may use.
struct ServiceLimits {
  std::chrono::milliseconds header_time{10000};  ///< from first byte to last header
  std::chrono::milliseconds idle_time{75000};    ///< between the requests of a connection
  std::chrono::milliseconds body_time{30000};    ///< without progress of a body or an answer
  std::uint64_t header_bytes = 16 << 10;
  std::uint64_t json_bytes = 1 << 20;
  std::uint64_t cloud_bytes = std::uint64_t{1} << 40;
  std::size_t connections = 4096;
  std::size_t queue = 1000;         ///< waiting runs of a token
  std::size_t jobs_a_token = 2000;  ///< jobs of a token that have not ended
  std::uint64_t bytes_a_token = std::uint64_t{1} << 40;
  std::chrono::milliseconds sync_time{120000};           ///< of a synchronous run
  double run_seconds = 86400;                            ///< longest predicted time of a run
  std::uint64_t result_bytes = std::uint64_t{64} << 30;  ///< of all results
  std::chrono::milliseconds drain_time{10000};
  std::chrono::milliseconds keep_alive{15000};  ///< between comments in streams of events
};

}  // namespace skde::service

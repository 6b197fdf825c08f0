#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace skde::service {

/// What one client, or all of them, may ask for.
struct ServiceLimits {
  std::chrono::milliseconds header_time{10000};  ///< from a request's first byte to its last header
  std::chrono::milliseconds idle_time{75000};    ///< between requests of a connection
  std::chrono::milliseconds body_time{30000};  ///< without a byte of a body, or of an answer taken
  std::uint64_t header_bytes = 16 << 10;
  std::uint64_t json_bytes = 1 << 20;
  std::uint64_t cloud_bytes = std::uint64_t{1} << 40;
  std::size_t connections = 4096;
  std::size_t queue = 1000;         ///< runs of a token that wait
  std::size_t jobs_a_token = 2000;  ///< that have not ended
  std::uint64_t bytes_a_token = std::uint64_t{1} << 40;
  std::chrono::milliseconds sync_time{120000};           ///< that a synchronous run may take
  double run_seconds = 86400;                            ///< that a run may be expected to take
  std::uint64_t result_bytes = std::uint64_t{64} << 30;  ///< of all results
  std::chrono::milliseconds drain_time{10000};
  std::chrono::milliseconds keep_alive{15000};  ///< between comments in streams of events
};

}  // namespace skde::service

#pragma once

#include <string>

namespace skde::service {

/// What a worker reads its orders from, and tells of them to: a line of JSON each.
inline constexpr int kWorkerSocket = 3;

/// The worker's side: runs what it is told, one run after the other, until the socket ends.
/// `role`: "cpu", the number of the GPU that is its own, or "planner", which asks engines for
/// offers alone.
int run_worker(const std::string& role);

}  // namespace skde::service

#pragma once

#include <string>

namespace skde::service {

/// Socket for the orders and the answers of a worker, each a line of JSON.
inline constexpr int kWorkerSocket = 3;

/// Runs the worker's side: one run after the other, until the socket ends. `role`: "cpu", the
/// number of its own GPU, or "planner", which only asks engines for offers.
int run_worker(const std::string& role);

}  // namespace skde::service

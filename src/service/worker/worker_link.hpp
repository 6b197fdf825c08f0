#pragma once

#include "service/jobs/run_queue.hpp"

namespace skde::service {

/// Socket for the orders and the answers of a worker, each a line of JSON.
inline constexpr int kWorkerSocket = 3;

/// Starts a worker in this folder: a process of this program, connected by a socket. It ends at
/// once if the system allows no more processes or descriptors.
std::shared_ptr<Worker> start_worker(boost::asio::io_context& context, Worker::Events events,
                                     const std::string& role, const std::string& folder);

/// Runs the worker's side: one order after the other, until the socket ends.
int run_worker(const std::string& role);

}  // namespace skde::service

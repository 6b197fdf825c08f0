#pragma once

#include <boost/asio/steady_timer.hpp>
#include <memory>

#include "service/answer/http_problem.hpp"
#include "service/http/service_routes.hpp"

namespace skde::service {

/// Throws a Problem that says why a waiting client gets no result.
[[noreturn]] inline void throw_end(const Job& job) {
  if (job.state == JobState::dismissed)
    throw Problem(503, "limit", "this takes longer than the limit of a synchronous run",
                  {{}, "run it with the header 'Prefer: respond-async'"});
  if (job.exception) throw Problem::from_json(*job.exception);
  throw Problem(500, "internal", "the run has no result");
}

/// Limits how long a client waits for a job; the client may disconnect earlier.
class WaitingClient {
 public:
  using Clock = boost::asio::steady_timer::clock_type;

  WaitingClient(ServiceState& state, Clock::time_point end)
      : state_(state), timer_(state.context), end_(end) {}

  void wait_for(const JobPtr& job) {
    job_ = job;
    if (has_gone_) return leave();
    timer_.expires_at(end_);
    timer_.async_wait([&state = state_, weak = job_](boost::system::error_code problem) {
      const JobPtr waiting = weak.lock();
      if (!problem && waiting && !waiting->ended()) state.jobs.dismiss(waiting, {});
    });
  }
  void leave() {
    has_gone_ = true;
    const JobPtr job = job_.lock();
    if (job && !job->ended()) state_.jobs.dismiss(job, {});
  }
  void stop() { timer_.cancel(); }

 private:
  ServiceState& state_;
  boost::asio::steady_timer timer_;
  Clock::time_point end_;
  std::weak_ptr<Job> job_;
  bool has_gone_ = false;
};

/// Runs a job that no other client sees while its client waits, and responds with what `answer`
/// makes of its result.
void run_and_answer(ServiceState& state, ExecutionRequest execution, const Request& request,
                    const Respond& respond, const std::shared_ptr<WaitingClient>& client,
                    std::function<Response(const Job&)> answer);

}  // namespace skde::service

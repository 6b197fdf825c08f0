#pragma once

#include <boost/asio/steady_timer.hpp>
#include <memory>

#include "service/answer/http_message.hpp"
#include "service/answer/service_limits.hpp"
#include "service/http/traffic.hpp"
#include "service/jobs/job_board.hpp"
#include "service/store/access_tokens.hpp"
#include "service/store/cloud_shelf.hpp"
#include "service/store/tus_uploads.hpp"

namespace skde::service {

/// The state that all routes share: the parts of a service, in order of their dependencies.
struct ServiceState {
  ServiceState(const ServiceLimits& given, const std::string& data,
               const std::vector<std::string>& allowed_paths, const std::string& token_file)
      : limits(given),
        folder(data),
        allowed(allowed_paths),
        tokens(AccessTokens::read(token_file, folder.path())) {}

  const ServiceLimits& limits;
  DataFolder folder;
  AllowedFolders allowed;
  AccessTokens tokens;
  Traffic traffic;  ///< outlives the context, whose connections deregister here
  boost::asio::io_context context{1};
  JobMetrics metrics;
  StorageThread storage{folder.database(), context};
  CloudShelf clouds{context, folder, allowed, storage};
  TusUploads uploads{folder, storage};
  ResultStore results{folder, storage, tokens, limits.result_bytes};
  JobBoard jobs{context, clouds, results, storage, limits, metrics};
  bool draining = false;
};

// Answer the routes below a first segment, one file each. They throw Problem, or respond once.
void answer_landing(ServiceState& state, const Request& request, const Respond& respond);
void answer_health(ServiceState& state, const Request& request, const Respond& respond);
void answer_processes(ServiceState& state, const Request& request, const Respond& respond);
void answer_jobs(ServiceState& state, const Request& request, const Respond& respond);
void answer_clouds(ServiceState& state, const Request& request, const Respond& respond);
void answer_uploads(ServiceState& state, const Request& request, const Respond& respond);

/// Returns what finds the handler of a request, and rejects requests without a token.
std::unique_ptr<RequestHandler> make_router(ServiceState& state);
/// Returns how many more bytes a token may upload.
std::uint64_t bytes_left(const ServiceState& state, const std::string& owner);
/// Returns the sink for the body of a new cloud; null for any other kind of request.
std::shared_ptr<BodySink> cloud_sink(ServiceState& state, const Request& request);
/// Version of tus, the protocol for resumable uploads.
constexpr const char* kTusVersion = "1.0.0";
/// Applies the header X-HTTP-Method-Override to a POST. Throws Problem (400).
void override_method(Request& request);
/// Returns the sink for a piece of a tus upload; null for any other kind of request.
std::shared_ptr<BodySink> piece_sink(ServiceState& state, const Request& request);

/// Answers with the results of a job in the form that its request asks for.
Response results_response(const Request& request, const Job& job, const StoredResult& result,
                          const std::string& job_path);
/// Answers with one output of a result as bytes.
Response output_response(const Request& request, const StoredResult& result,
                         const std::string& output);
/// Receives the request, and what answers it.
using Linked = std::function<void(ExecutionRequest, Respond)>;
/// Reads the body of an execution. Inputs may be links (`{"href"}`) to clouds and jobs of this
/// service, or data (RFC 2397), which become clouds of this owner first, unless the answer is an
/// error. No other links are opened. Without data, `then` is called before this returns. Throws
/// Problem, or answers with it.
void read_linked_execution(ServiceState& state, const Process& process, const Request& request,
                           const Respond& respond, Linked then);
/// Throws Problem (405) unless the method is in this list, separated by ", ".
void require_method(const Request& request, std::string_view allowed);
/// Returns a value of the query as an integer. Throws Problem (400) if it is not one.
std::uint64_t whole_query(const Request& request, std::string_view name, std::uint64_t otherwise);

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

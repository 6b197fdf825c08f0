#pragma once

#include "service/http/access_tokens.hpp"
#include "service/http/traffic.hpp"
#include "service/jobs/job_board.hpp"
#include "service/service_limits.hpp"
#include "service/store/cloud_shelf.hpp"
#include "service/store/tus_uploads.hpp"

namespace skde::service {

/// All that routes work on.
struct ServiceState {
  boost::asio::io_context& context;
  const AccessTokens& tokens;
  const ServiceLimits& limits;
  CloudShelf& clouds;
  TusUploads& uploads;
  ResultStore& results;
  JobBoard& jobs;
  StorageThread& storage;
  Traffic& traffic;
  JobMetrics& metrics;
  bool draining = false;
};

// One a file: what answers the routes below a first segment. They throw Problem, or respond once.
void answer_landing(ServiceState& state, const Request& request, const Respond& respond);
void answer_health(ServiceState& state, const Request& request, const Respond& respond);
void answer_processes(ServiceState& state, const Request& request, const Respond& respond);
void answer_jobs(ServiceState& state, const Request& request, const Respond& respond);
void answer_clouds(ServiceState& state, const Request& request, const Respond& respond);
void answer_uploads(ServiceState& state, const Request& request, const Respond& respond);

/// GET /jobs.
void list_jobs(ServiceState& state, const Request& request, const Respond& respond);
/// Ends a job that nobody else sees once its client has gone.
void stop_when_gone(ServiceState& state, const Request& request, const JobPtr& job);
/// Bytes that a token may still send.
std::uint64_t bytes_left(const ServiceState& state, const std::string& owner);
/// Where the body of a new cloud goes; null where the request is of another kind.
std::shared_ptr<BodySink> cloud_sink(ServiceState& state, const Request& request);
/// Of the protocol of uploads in pieces.
constexpr const char* kTusVersion = "1.0.0";
/// POST with the header X-HTTP-Method-Override is what that names. Throws Problem (400).
void override_method(Request& request);
/// The same of a piece of an upload by tus.
std::shared_ptr<BodySink> piece_sink(ServiceState& state, const Request& request);

/// The results of a job as its request wants them.
Response results_response(const Request& request, const Job& job, const StoredResult& result,
                          const std::string& job_path);
/// One output of a result as bytes.
Response output_response(const Request& request, const StoredResult& result,
                         const std::string& output);
/// Throws Problem (405) unless the method is one of these, divided by ", ".
void require_method(const Request& request, std::string_view allowed);
/// What a client named, as a whole number; Problem (400) where it is none.
std::uint64_t whole_query(const Request& request, std::string_view name, std::uint64_t otherwise);

}  // namespace skde::service

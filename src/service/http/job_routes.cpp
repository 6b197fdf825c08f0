#include <fmt/core.h>

#include <charconv>

#include "service/answer/http_problem.hpp"
#include "service/http/service_routes.hpp"

namespace skde::service {
namespace {

using Json = nlohmann::ordered_json;

/// The server-sent events of a job: of the changes not sent yet, only the latest.
class JobEvents final : public EventFeed {
 public:
  /// `last` is the ID of the last event that the client has received; 0: none.
  JobEvents(JobPtr job, std::uint64_t last)
      : job_(std::move(job)), sent_(last > job_->revision ? 0 : last) {}
  std::string next() override {
    if (sent_ >= job_->revision) return "";
    const bool status = sent_ < job_->status_revision;
    sent_ = job_->revision;
    return fmt::format("id: {}\nevent: {}\ndata: {}\n\n", sent_, status ? "status" : "progress",
                       *job_->status_text());
  }
  bool ended() const override { return job_->ended() && sent_ >= job_->revision; }
  void on_news(std::function<void()> wake) override {
    wake_ = std::make_shared<std::function<void()>>(std::move(wake));
    job_->watchers.emplace_back(wake_);
  }

 private:
  JobPtr job_;
  std::uint64_t sent_;
  std::shared_ptr<std::function<void()>> wake_;
};

void send_events(const JobPtr& job, const Request& request, const Respond& respond) {
  require_method(request, "GET, HEAD");
  std::uint64_t last = 0;
  const std::string_view header = request.header("last-event-id");
  std::from_chars(header.data(), header.data() + header.size(), last);
  Response response;
  if (job->ended() && last == job->revision) {  // there will be no more events
    response.status = 204;
    return respond(std::move(response));
  }
  response.events = std::make_shared<JobEvents>(job, last);
  respond(std::move(response.with("Content-Type", "text/event-stream")
                        .with("Cache-Control", "no-store")
                        .with("X-Accel-Buffering", "no")));
}

void dismiss(ServiceState& state, const JobPtr& job, const Respond& respond) {
  state.jobs.dismiss(job, [job, respond](const std::exception_ptr& failure) {
    if (failure) return respond(Problem::of(failure).response());
    Json status = job->status();
    status["status"] = "dismissed";
    respond(json_response(status));
  });
}

}  // namespace

void answer_jobs(ServiceState& state, const Request& request, const Respond& respond) {
  if (request.path.size() == 1) return list_jobs(state, request, respond);
  const JobPtr job = state.jobs.table().at(request.segment(1));
  if (job->owner != request.owner) throw not_found("job", request.segment(1));
  const std::string_view part = request.segment(2);
  if (request.path.size() == 2) {
    require_method(request, "GET, HEAD, DELETE");
    if (request.method == "DELETE") return dismiss(state, job, respond);
    return respond(json_response(job->status()));
  }
  if (part == "events" && request.path.size() == 3) return send_events(job, request, respond);
  if (part != "results" || request.path.size() > 4) throw not_found("resource", request.target);
  require_method(request, "GET, HEAD");
  state.jobs.find_result(
      job, [request, job, respond](const ResultPtr& result, const std::exception_ptr& failure) {
        try {
          if (failure) std::rethrow_exception(failure);
          respond(request.path.size() == 4
                      ? output_response(request, *result, request.path[3])
                      : results_response(request, *job, *result, "/jobs/" + job->id));
        } catch (const Problem& problem) {
          respond(problem.response());
        }
      });
}

}  // namespace skde::service

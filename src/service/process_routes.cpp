#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <ranges>

#include "service/http_problem.hpp"
#include "service/list_query.hpp"
#include "service/openapi.hpp"
#include "service/service_routes.hpp"

namespace skde::service {
namespace {

using Json = nlohmann::ordered_json;

/// In the order of the table; a cursor is the last ID of the page before.
void list_processes(const Request& request, const Respond& respond) {
  require_method(request, "GET, HEAD");
  require_query_names(request, {"limit", "cursor"});
  const std::size_t limit = page_limit(request);
  std::vector<const Process*> rest;
  for (const Process& process : process_table())
    if (process.listed) rest.push_back(&process);
  if (request.query.contains("cursor")) {
    const auto last = std::ranges::find(rest, query_text(request, "cursor"), &Process::id);
    if (last == rest.end()) refuse_query("cursor", "'cursor' is none that a link 'next' has");
    rest.erase(rest.begin(), last + 1);
  }
  Json list = Json::array(),
       links = {{{"href", "/processes"}, {"rel", "self"}, {"type", "application/json"}}};
  for (const Process* const process : rest | std::views::take(limit))
    list.push_back(process_summary(*process));
  if (rest.size() > limit) links.push_back(next_link(request, rest[limit - 1]->id));
  respond(json_response({{"processes", list}, {"links", links}}));
}

bool wants_async(const Request& request) {
  return request.header("prefer").find("respond-async") != std::string_view::npos;
}

void execute_later(ServiceState& state, ExecutionRequest execution, const Request& request,
                   const Respond& respond) {
  state.jobs.submit(std::move(execution), request.owner,
                    [respond](const std::exception_ptr& failure, const JobPtr& job) {
                      if (failure) return respond(Problem::of(failure).response());
                      respond(std::move(json_response(job->status(), 201)
                                            .with("Location", "/jobs/" + job->id)
                                            .with("Preference-Applied", "respond-async")));
                    });
}

void execute_now(ServiceState& state, ExecutionRequest execution, const Request& request,
                 const Respond& respond) {
  const auto timer = std::make_shared<boost::asio::steady_timer>(state.context);
  const auto answer = [request, respond, timer](Job& job) {
    timer->cancel();
    try {
      if (job.state == JobState::dismissed)
        throw Problem(503, "limit", "this takes longer than anybody may wait for",
                      {{}, "run it with the header 'Prefer: respond-async'"});
      if (job.exception) throw Problem::from_json(*job.exception);
      respond(results_response(request, job, *job.result, ""));
    } catch (...) {
      respond(Problem::of(std::current_exception()).response());
    }
  };
  const JobPtr job = state.jobs.run_now(std::move(execution), request.owner, answer);
  if (job->ended()) return;
  stop_when_gone(state, request, job);
  timer->expires_after(state.limits.sync_time);
  timer->async_wait([&state, weak = std::weak_ptr<Job>(job)](boost::system::error_code problem) {
    const JobPtr waiting = weak.lock();
    if (!problem && waiting && !waiting->ended()) state.jobs.dismiss(waiting, {});
  });
}

}  // namespace

void answer_processes(ServiceState& state, const Request& request, const Respond& respond) {
  if (request.path.size() == 1) return list_processes(request, respond);
  const Process& process = process_named(request.segment(1));
  if (!process.listed) throw not_found("process", process.id);
  if (request.path.size() == 2) {
    require_method(request, "GET, HEAD");
    return respond(json_response(process_description(process)));
  }
  if (request.path.size() > 3 || request.segment(2) != "execution")
    throw not_found("resource", request.target);
  require_method(request, "POST");
  if (state.draining)
    throw Problem(503, "busy", "the service is about to end").with("Retry-After", "10");
  ExecutionRequest execution = read_execution(process, parse_json(request.body));
  if (wants_async(request))
    execute_later(state, std::move(execution), request, respond);
  else
    execute_now(state, std::move(execution), request, respond);
}

}  // namespace skde::service

#include <fmt/core.h>

#include <algorithm>
#include <boost/asio/post.hpp>

#include "service/answer/http_message.hpp"
#include "service/http/request_parts.hpp"
#include "service/http/openapi.hpp"
#include "service/http/piped_body.hpp"
#include "service/http/service_routes.hpp"

namespace skde::service {
namespace {

using Json = nlohmann::ordered_json;

/// Lists in the order of the table; the cursor is the last ID of the previous page.
void list_processes(const Request& request, const Respond& respond) {
  require_method(request, "GET, HEAD");
  require_query_names(request, {"limit", "cursor"});
  const std::size_t limit = page_limit(request);
  std::vector<const Process*> rest;
  for (const Process& process : process_table())
    if (process.listed) rest.push_back(&process);
  if (request.query.contains("cursor")) {
    const auto last = std::ranges::find(rest, query_text(request, "cursor"), &Process::id);
    if (last == rest.end()) refuse_query("cursor", "'cursor' must be taken from a link 'next'");
    rest.erase(rest.begin(), last + 1);
  }
  Json list = Json::array(),
       links = {{{"href", "/processes"}, {"rel", "self"}, {"type", "application/json"}}};
  for (std::size_t i = 0; i < std::min(limit, rest.size()); ++i)
    list.push_back(process_summary(*rest[i]));
  if (rest.size() > limit) links.push_back(next_link(request, rest[limit - 1]->id));
  respond(json_response({{"processes", list}, {"links", links}}));
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
                 const Respond& respond, const std::shared_ptr<WaitingClient>& client) {
  run_and_answer(state, std::move(execution), request, respond, client, [request](const Job& job) {
    return results_response(request, job, *job.result, "");
  });
}

/// Answers with links to the results of a kept job. A job without results is removed, since no
/// client knows its ID.
void answer_with_links(ServiceState& state, const JobPtr& job, const Request& request,
                       const Respond& respond) {
  try {
    if (job->state != JobState::successful) throw_end(*job);
    state.jobs.find_result(
        job, [request, job, respond](const ResultPtr& result, const std::exception_ptr& failure) {
          try {
            if (failure) std::rethrow_exception(failure);
            respond(results_response(request, *job, *result, "/jobs/" + job->id));
          } catch (...) {
            respond(Problem::of(std::current_exception()).response());
          }
        });
  } catch (...) {
    respond(Problem::of(std::current_exception()).response());
    boost::asio::post(state.context, [&state, job] {
      if (state.jobs.table().all().contains(job->id)) state.jobs.dismiss(job, {});
    });
  }
}

/// Runs synchronously with outputs by reference: the links lead to the results of a kept job.
void execute_now_and_keep(ServiceState& state, ExecutionRequest execution, const Request& request,
                          const Respond& respond, const std::shared_ptr<WaitingClient>& client) {
  for (WantedOutput& output : execution.outputs)  // kept jobs send links by default
    output.by_reference = output.by_reference.value_or(false);
  if (request.gone) *request.gone = [client] { client->leave(); };
  state.jobs.submit(
      std::move(execution), request.owner,
      [&state, request, respond, client](const std::exception_ptr& failure, const JobPtr& job) {
        if (failure) return respond(Problem::of(failure).response());
        if (job->ended()) return answer_with_links(state, job, request, respond);
        job->on_end = [&state, request, respond, client](Job& ended) {
          client->stop();
          answer_with_links(state, state.jobs.table().at(ended.id), request, respond);
        };
        client->wait_for(job);
      });
}

void execute(ServiceState& state, ExecutionRequest execution, const Request& request,
             const Respond& respond) {
  execution.unkept = has_token(request.header("cache-control"), "no-store");
  execution.packs = has_token(request.header("accept-encoding"), "zstd");
  const Preferences preferences = read_preferences(request.header("prefer"));
  if (preferences.respond_async)
    return execute_later(state, std::move(execution), request, respond);
  std::chrono::milliseconds time = state.limits.sync_time;
  Respond answer = respond;
  if (preferences.wait && *preferences.wait <= time) {
    time = *preferences.wait;
    answer = [respond, seconds = preferences.wait->count()](Response response) {
      respond(std::move(response.with("Preference-Applied", fmt::format("wait={}", seconds))));
    };
  }
  const auto client = std::make_shared<WaitingClient>(state, WaitingClient::Clock::now() + time);
  const bool refers = std::ranges::any_of(execution.outputs, [](const WantedOutput& output) {
    return output.by_reference.value_or(false);
  });
  (refers ? execute_now_and_keep : execute_now)(state, std::move(execution), request, answer,
                                                client);
}

}  // namespace

void run_and_answer(ServiceState& state, ExecutionRequest execution, const Request& request,
                    const Respond& respond, const std::shared_ptr<WaitingClient>& client,
                    std::function<Response(const Job&)> answer) {
  if (request.gone) *request.gone = [client] { client->leave(); };
  const auto piped = std::make_shared<std::shared_ptr<PipedBody>>();
  const auto on_end = [respond, client, piped, answer = std::move(answer)](Job& job) {
    client->stop();
    if (*piped) return (*piped)->end(job.state == JobState::successful);
    try {
      if (!job.result || job.state != JobState::successful) throw_end(job);
      respond(answer(job));
    } catch (...) {
      respond(Problem::of(std::current_exception()).response());
    }
  };
  const bool packs = execution.packs;
  const JobPtr job = state.jobs.run_now(std::move(execution), request.owner, on_end);
  if (!job->ended())
    job->on_stream = [&state, respond, piped, packs](const std::string& folder, const Json& told) {
      *piped =
          std::make_shared<PipedBody>(state.context, folder, told["streams"].get<std::uint64_t>());
      respond(piped_response(*piped, told["description"], packs));
    };
  if (!job->ended()) client->wait_for(job);
}

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
    throw Problem(503, "busy", "the service is shutting down; try again later")
        .with("Retry-After", "10");
  Request asked = request;  // waiting needs no body
  asked.body = {};
  read_linked_execution(state, process, request, respond,
                        [&state, asked, bytes = request.body.size()](ExecutionRequest execution,
                                                                     const Respond& answer) {
                          execution.bytes = bytes;
                          execute(state, std::move(execution), asked, answer);
                        });
}

}  // namespace skde::service

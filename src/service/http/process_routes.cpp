#include <fmt/core.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>

#include "io/text/json_object.hpp"
#include "service/answer/http_message.hpp"
#include "service/http/answer_writer.hpp"
#include "service/http/file_response.hpp"
#include "service/http/openapi.hpp"
#include "service/http/request_parts.hpp"
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

using Json = nlohmann::ordered_json;

/// Adds the description of an array: grid, bandwidth, and how its numbers are stored. Texts that
/// are too long for a header are left out.
void describe(Response& response, const Json& description) {
  constexpr std::size_t kLongest = 1024;
  Json kept = Json::object();
  for (const auto& [name, value] : description.items())
    if (!value.is_string() || value.get_ref<const std::string&>().size() <= kLongest)
      kept[name] = value;
  response.with("Skde-Description", io::ascii_json_line(kept));
}

/// Opens a file that is embedded in a text.
std::shared_ptr<const OpenFile> embedded(const StoredResult& result, const Json& file) {
  auto open = std::make_shared<const OpenFile>(result.path_of(file));
  if (open->size() > kMostEmbedded) throw too_large_for_json(static_cast<double>(open->size()));
  return open;
}

Json reference(const StoredResult& result, const std::string& job_path, const std::string& name) {
  const auto file = result.files.find(name);
  const Json type = file == result.files.end() ? Json("application/json") : (*file)["type"];
  return {{"href", job_path + "/results/" + name}, {"type", type}};
}

/// Appends the value of an output to the last part. Files are read while they are sent; otherwise
/// all files of a document would stay in memory until the client has read it.
void add_value(std::vector<BodyPart>& parts, const StoredResult& result,
               const std::string& job_path, const WantedOutput& output) {
  std::string& text = parts.back().text;
  const bool is_file = result.files.contains(output.name);
  if (output.by_reference.value_or(is_file) && !job_path.empty()) {
    text += io::json_line(reference(result, job_path, output.name));
  } else if (!is_file) {
    text += io::json_line(result.values[output.name]);
  } else {
    const Json& file = result.files[output.name];
    text += R"({"value":")";
    parts.back().file = embedded(result, file);
    parts.back().is_base64 = true;
    parts.push_back({R"(","encoding":"base64","mediaType":)" + io::json_line(file["type"]) + '}'});
  }
}

Response document_of(const StoredResult& result, const std::vector<WantedOutput>& outputs,
                     const std::string& job_path) {
  Response response;
  response.parts.push_back({"{"});
  for (const WantedOutput& output : outputs) {
    if (&output != outputs.data()) response.parts.back().text += ',';
    response.parts.back().text += io::json_line(output.name) + ':';
    add_value(response.parts, result, job_path, output);
  }
  response.parts.back().text += "}\n";
  return std::move(response.with("Content-Type", "application/json"));
}

/// Returns the wanted outputs that exist.
std::vector<WantedOutput> present(const Job& job, const StoredResult& result) {
  std::vector<WantedOutput> outputs;
  if (!job.request.process)  // an older version: it wrote only wanted outputs
    for (const Json& all : {result.files, result.values})
      for (const auto& [name, value] : all.items()) outputs.push_back({name});
  for (const WantedOutput& output : job.request.outputs)
    if (result.files.contains(output.name) || result.values.contains(output.name))
      outputs.push_back(output);
  return outputs;
}

Response multipart(const StoredResult& result, const std::vector<WantedOutput>& outputs,
                   const std::string& job_path) {
  const std::string boundary = "skde-" + result.key;
  Response response;
  std::string text;
  for (const WantedOutput& output : outputs) {
    const auto file = result.files.find(output.name);
    text += fmt::format("--{}\r\nContent-ID: <{}>\r\n", boundary, output.name);
    if (output.by_reference.value_or(false) && !job_path.empty()) {
      text += fmt::format("Content-Location: {}/results/{}\r\n\r\n", job_path, output.name);
    } else if (file != result.files.end()) {
      text += fmt::format("Content-Type: {}\r\n\r\n", (*file)["type"].get<std::string>());
      response.parts.push_back(
          {std::exchange(text, {}), std::make_shared<const OpenFile>(result.path_of(*file))});
    } else {
      text += "Content-Type: application/json\r\n\r\n" + io::json_line(result.values[output.name]);
    }
    text += "\r\n";
  }
  response.parts.push_back({text + fmt::format("--{}--\r\n", boundary)});
  const auto first = outputs.empty() ? result.files.end() : result.files.find(outputs[0].name);
  const Json type = first == result.files.end() ? Json("application/json") : (*first)["type"];
  return std::move(
      response.with("Content-Type", fmt::format("multipart/related; type=\"{}\"; boundary=\"{}\"",
                                                type.get<std::string>(), boundary)));
}

/// Answers with an array that comes through a pipe.
Response piped_response(std::shared_ptr<PipedBody> body, const Json& description, bool packed) {
  Response response;
  response.piped = std::move(body);
  response.with("Content-Type", "application/vnd.numpy.npy")
      .with("Content-Disposition", "attachment; filename=\"volume.npy\"")
      .with("Cache-Control", "no-store")
      .with("Vary", "Accept-Encoding")
      .with("Skde-Cache", "miss");
  describe(response, description);
  if (packed) response.with("Content-Encoding", "zstd");
  return response;
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

Response output_response(const Request& request, const StoredResult& result,
                         const std::string& output) {
  const std::string etag = result.etag_of(output);
  if (const auto file = result.files.find(output); file != result.files.end()) {
    Response response =
        file_response(request, result.path_of(*file), (*file)["type"].get<std::string>(), etag);
    response.with("Content-Disposition",
                  fmt::format("attachment; filename=\"{}\"", (*file)["file"].get<std::string>()));
    if (const auto beside = result.files.find("description");
        output == "volume" && beside != result.files.end())
      describe(response, io::read_json(result.path_of(*beside)));
    return response;
  }
  const auto value = result.values.find(output);
  if (value == result.values.end()) throw not_found("output", output);
  Response response;
  response.status = 304;
  if (!is_unchanged(request, etag)) response = json_response(*value);
  return std::move(response.with("ETag", etag));
}

Response results_response(const Request& request, const Job& job, const StoredResult& result,
                          const std::string& job_path) {
  const std::vector<WantedOutput> outputs = present(job, result);
  const auto is_link = [](const WantedOutput& output) {
    return output.by_reference.value_or(false);
  };
  Response response;
  if (job.request.response == ResponseForm::document) {
    response = document_of(result, outputs, job_path);
  } else if (!job_path.empty() && !outputs.empty() && std::ranges::all_of(outputs, is_link)) {
    response.status = 204;
    for (const WantedOutput& output : outputs) {
      const Json link = reference(result, job_path, output.name);
      response.with("Link",
                    fmt::format("<{}>; rel=\"{}\"; type=\"{}\"", link["href"].get<std::string>(),
                                output.name, link["type"].get<std::string>()));
    }
  } else if (outputs.size() == 1) {
    response = output_response(request, result, outputs[0].name);
  } else {
    response = multipart(result, outputs, job_path);
  }
  return std::move(response.with("Skde-Cache", job.cached ? "hit" : "miss"));
}

}  // namespace skde::service

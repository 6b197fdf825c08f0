#include <fmt/core.h>

#include <filesystem>

#include "service/answer/http_problem.hpp"
#include "service/http/file_response.hpp"
#include "service/http/list_query.hpp"
#include "service/http/service_routes.hpp"
#include "service/http/waiting_client.hpp"
#include "service/store/byte_claim.hpp"

namespace skde::service {
namespace {

using Json = nlohmann::ordered_json;

bool is_json(const Request& request) { return media_type_of(request) == "application/json"; }

/// Answers with a cloud once it is added. `claim` is held until the cloud itself is counted.
CloudShelf::Added answer_new(const Respond& respond, std::shared_ptr<ByteClaim> claim = {}) {
  return
      [respond, claim = std::move(claim)](const std::exception_ptr& failure, const Cloud& cloud) {
        if (!failure)
          return respond(
              std::move(json_response(cloud.json(), 201).with("Location", "/clouds/" + cloud.id)));
        respond(Problem::of(failure).response());
      };
}

/// Adds a file on the server; it must be in a folder that the service's options allow.
void add_path(ServiceState& state, const Request& request, const Respond& respond) {
  const Json json = parse_json(request.body);
  const auto given = json.is_object() ? json.find("path") : json.end();
  if (given == json.end() || !given->is_string())
    throw Problem(400, "usage", "the body must have a 'path'", {"path", {}});
  namespace fs = std::filesystem;
  std::error_code problem;
  std::string text = given->get<std::string>();
  if (text.find('\0') != text.npos) text.clear();  // the system would end the path there
  const fs::path path = fs::canonical(text, problem);
  Cloud cloud;
  cloud.id = random_name();
  cloud.name = shown_name(path.filename().string());
  cloud.suffix = known_suffix(cloud.name);
  cloud.path = path.string();
  cloud.owner = request.owner;
  state.clouds.add_path(std::move(cloud), answer_new(respond));
}

void add_cloud(ServiceState& state, const Request& request, const Respond& respond) {
  if (is_json(request)) return add_path(state, request, respond);
  const auto upload = std::dynamic_pointer_cast<CloudUpload>(request.sink);
  if (!upload || upload->size() == 0)
    throw Problem(400, "request", "the body is empty; send the file in it");
  upload->keep();
  Cloud cloud;
  cloud.id = std::filesystem::path(upload->path()).stem().string();
  cloud.name = shown_name(query_text(request, "name"));
  cloud.suffix = known_suffix(query_text(request, "name"));
  cloud.bytes = upload->size();
  cloud.owner = request.owner;
  state.clouds.add(upload->path(), std::move(cloud),
                   [path = upload->path(), answer = answer_new(respond, upload->claim())](
                       const std::exception_ptr& failure, const Cloud& added) {
                     std::error_code ignored;
                     if (failure) std::filesystem::remove(path, ignored);  // nothing refers to it
                     answer(failure, added);
                   });
}

void list_clouds(ServiceState& state, const Request& request, const Respond& respond) {
  Json list = Json::array();
  for (const auto& [id, cloud] : state.clouds.all())
    if (cloud.owner == request.owner) list.push_back(cloud.json());
  respond(json_response({{"clouds", list}}));
}

/// Runs a process on a cloud while the client waits, and makes the answer from its result.
void answer_by(ServiceState& state, std::string_view process, const Cloud& cloud,
               const Request& request, const Respond& respond,
               std::function<Response(const StoredResult&)> answer) {
  const auto client =
      std::make_shared<WaitingClient>(state, WaitingClient::Clock::now() + state.limits.sync_time);
  run_and_answer(state, read_query(process_named(process), cloud.id, request.query), request,
                 respond, client,
                 [answer = std::move(answer)](const Job& job) { return answer(*job.result); });
}

/// Answers with the output of `skde info` and what the service knows about the cloud.
void describe(ServiceState& state, const Cloud& cloud, const Request& request,
              const Respond& respond) {
  answer_by(state, "info", cloud, request, respond,
            [json = cloud.json()](const StoredResult& result) {
              Json all = json;
              all.update(result.values["summary"]);
              return json_response(all);
            });
}

void send_points(ServiceState& state, const Cloud& cloud, const Request& request,
                 const Respond& respond) {
  answer_by(state, "points", cloud, request, respond, [request](const StoredResult& result) {
    return output_response(request, result, "points");
  });
}

}  // namespace

std::uint64_t bytes_left(const ServiceState& state, const std::string& owner) {
  const std::uint64_t there = state.clouds.bytes_of(owner) + state.uploads.bytes_of(owner);
  return state.limits.bytes_a_token - std::min(there, state.limits.bytes_a_token);
}

std::shared_ptr<BodySink> cloud_sink(ServiceState& state, const Request& request) {
  if (request.method != "POST" || request.path.size() != 1 || request.path[0] != "clouds" ||
      is_json(request) || !request.has_body)
    return nullptr;
  if (media_type_of(request).starts_with("multipart/"))
    throw Problem(415, "request",
                  "the body must be the bytes of the file, without a form around it",
                  {{}, "send it with `curl --data-binary @FILE` instead of `-F`"});
  const std::uint64_t most = state.limits.cloud_bytes;
  if (request.length.value_or(0) > most)
    throw Problem(413, "limit", fmt::format("the limit is {} bytes; send a smaller file", most));
  auto claim = state.clouds.claim(
      request.owner, [&state, owner = request.owner] { return bytes_left(state, owner); });
  claim->grow_to(request.length.value_or(0));
  std::error_code unknown;
  const auto disk = std::filesystem::space(state.clouds.folder().path(), unknown);
  if (!unknown && request.length.value_or(0) > disk.available)
    throw Problem(507, "disk", fmt::format("only {} bytes are free on the disk", disk.available));
  return std::make_shared<CloudUpload>(state.clouds.folder().arriving(random_name()), 0, most,
                                       std::move(claim));
}

void answer_clouds(ServiceState& state, const Request& request, const Respond& respond) {
  if (request.path.size() == 1) {
    require_method(request, "GET, HEAD, POST");
    if (request.method == "POST") return add_cloud(state, request, respond);
    return list_clouds(state, request, respond);
  }
  const Cloud& cloud = state.clouds.at(request.segment(1));
  if (cloud.owner != request.owner) throw not_found("cloud", request.segment(1));
  const std::string_view part = request.segment(2);
  if (request.path.size() == 2 && request.method == "DELETE") {
    if (state.jobs.needs_cloud(cloud.id))
      throw Problem(409, "request", "jobs that have not ended read this cloud",
                    {{}, "wait for them, or dismiss them"});
    return state.clouds.remove(cloud.id, [respond](const std::exception_ptr& failure) {
      if (failure) return respond(Problem::of(failure).response());
      Response response;
      response.status = 204;
      respond(std::move(response));
    });
  }
  require_method(request, request.path.size() == 2 ? "GET, HEAD, DELETE" : "GET, HEAD");
  if (request.path.size() == 2) return describe(state, cloud, request, respond);
  if (request.path.size() > 3) throw not_found("resource", request.target);
  if (part == "points") return send_points(state, cloud, request, respond);
  if (part != "content") throw not_found("resource", request.target);
  const std::string etag = fmt::format("\"{}\"", cloud.hash), type = "application/octet-stream";
  respond(cloud.owned ? file_response(request, cloud.path, type, etag)
                      : file_response(request, state.clouds.open(cloud)->file(), type, etag));
}

}  // namespace skde::service

#include <fmt/core.h>

#include <filesystem>

#include "service/answer/http_message.hpp"
#include "service/http/file_response.hpp"
#include "service/http/request_parts.hpp"
#include "service/http/service_routes.hpp"
#include "service/store/cloud_shelf.hpp"

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

Response tus_response(unsigned status) {
  Response response;
  response.status = status;
  return std::move(response.with("Tus-Resumable", kTusVersion).with("Cache-Control", "no-store"));
}

std::uint64_t whole_header(const Request& request, std::string_view name) {
  const auto value = whole_number(request.header(name));
  if (!value) throw Problem(400, "request", fmt::format("the header {} must be an integer", name));
  return *value;
}

void require_version(const Request& request) {
  if (request.header("tus-resumable") == kTusVersion) return;
  throw Problem(412, "request", "the header Tus-Resumable must be 1.0.0")
      .with("Tus-Version", kTusVersion);
}

/// Reads the file name from metadata such as "filename d29ybGQ=,type ...".
std::string file_name(std::string_view metadata) {
  while (!metadata.empty()) {
    const std::size_t end = std::min(metadata.find(','), metadata.size());
    std::string_view pair = metadata.substr(0, end);
    metadata.remove_prefix(std::min(end + 1, metadata.size()));
    while (pair.starts_with(' ')) pair.remove_prefix(1);
    const std::size_t blank = pair.find(' ');
    if (blank == pair.npos || pair.substr(0, blank) != "filename") continue;
    return decoded_base64(pair.substr(blank + 1)).value_or("");
  }
  return "";
}

void options(ServiceState& state, std::string_view methods, const Respond& respond) {
  respond(std::move(tus_response(204)
                        .with("Allow", std::string(methods))
                        .with("Tus-Version", kTusVersion)
                        .with("Tus-Extension", "creation,termination")
                        .with("Tus-Max-Size", std::to_string(state.limits.cloud_bytes))));
}

/// Turns a complete upload into a cloud of the same ID, then calls `made`. If that fails, the
/// upload stays as it was.
void make_cloud(ServiceState& state, TusUpload& upload, const Respond& respond,
                std::function<void()> made) {
  upload.complete = true;
  Cloud cloud;
  cloud.id = upload.id;
  cloud.name = shown_name(upload.name);
  cloud.suffix = known_suffix(upload.name);
  cloud.bytes = upload.length;
  cloud.owner = upload.owner;
  cloud.metadata = upload.metadata;
  state.clouds.add(state.uploads.path_of(upload), std::move(cloud),
                   [&state, made = std::move(made), respond, id = upload.id](
                       const std::exception_ptr& failure, const Cloud&) {
                     if (!failure) {
                       state.uploads.forget(id);
                       return made();
                     }
                     state.uploads.reopen(id);
                     respond(Problem::of(failure).response());
                   });
}

void create(ServiceState& state, const Request& request, const Respond& respond) {
  TusUpload upload;
  upload.id = random_name();
  upload.metadata = request.header("upload-metadata");
  upload.name = file_name(upload.metadata);
  upload.owner = request.owner;
  upload.length = whole_header(request, "upload-length");
  upload.created = now_milliseconds();
  if (upload.length > state.limits.cloud_bytes || upload.length > bytes_left(state, request.owner))
    throw Problem(413, "limit", "the upload must fit into the space left for this token");
  state.uploads.create(upload, [&state, upload, respond](const std::exception_ptr& failure) {
    if (failure) return respond(Problem::of(failure).response());
    const auto made = [upload, respond] {
      respond(std::move(tus_response(201).with("Location", "/uploads/" + upload.id)));
    };
    if (upload.length > 0) return made();
    try {
      TusPiece(state.uploads, upload.id, 0);  // an empty file, which gets no piece
      make_cloud(state, state.uploads.at(upload.id), respond, made);
    } catch (...) {
      respond(Problem::of(std::current_exception()).response());
    }
  });
}

/// Answers HEAD. An upload that has become a cloud reports all its bytes.
void tell_offset(ServiceState& state, const Request& request, const Respond& respond) {
  const std::string_view id = request.segment(1);
  std::uint64_t offset = 0, length = 0;
  std::string metadata;
  if (const auto cloud = state.clouds.all().find(id);
      cloud != state.clouds.all().end() && cloud->second.owner == request.owner) {
    offset = length = cloud->second.bytes;
    metadata = cloud->second.metadata;
  } else {
    const TusUpload& upload = state.uploads.at(id);
    if (upload.owner != request.owner) throw not_found("upload", id);
    offset = state.uploads.offset_of(upload);
    length = upload.length;
    metadata = upload.metadata;
  }
  Response response = tus_response(200);
  response.with("Upload-Offset", std::to_string(offset))
      .with("Upload-Length", std::to_string(length));
  if (!metadata.empty()) response.with("Upload-Metadata", metadata);
  respond(std::move(response));
}

void take_piece(ServiceState& state, const Request& request, TusUpload& upload,
                const Respond& respond) {
  const auto piece = std::dynamic_pointer_cast<TusPiece>(request.sink);
  const std::uint64_t offset = piece ? piece->size() : state.uploads.offset_of(upload);
  const auto answer = [offset, respond] {
    respond(std::move(tus_response(204).with("Upload-Offset", std::to_string(offset))));
  };
  if (offset < upload.length || upload.complete) return answer();
  make_cloud(state, upload, respond, answer);
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

void override_method(Request& request) {
  const std::string_view method = request.header("x-http-method-override");
  if (!method.empty()) request.method = method;
}

std::shared_ptr<BodySink> piece_sink(ServiceState& state, const Request& request) {
  if (request.method != "PATCH" || request.path.size() != 2 || request.path[0] != "uploads")
    return nullptr;
  require_version(request);
  if (media_type_of(request) != "application/offset+octet-stream")
    throw Problem(415, "request", "pieces must have the type application/offset+octet-stream");
  const TusUpload& upload = state.uploads.at(request.segment(1));
  if (upload.owner != request.owner) throw not_found("upload", request.segment(1));
  if (upload.busy || upload.complete)
    throw Problem(409, "request",
                  "another piece of this upload is being received; try again later");
  const std::uint64_t offset = state.uploads.offset_of(upload);
  if (whole_header(request, "upload-offset") != offset)
    throw Problem(409, "request", fmt::format("the next piece must begin at byte {}", offset));
  if (!request.has_body) return nullptr;
  return std::make_shared<TusPiece>(state.uploads, upload.id, offset);
}

void answer_uploads(ServiceState& state, const Request& request, const Respond& respond) {
  const std::string_view methods =
      request.path.size() == 1 ? "POST, OPTIONS" : "HEAD, POST, PATCH, DELETE, OPTIONS";
  if (request.method == "OPTIONS") return options(state, methods, respond);
  require_method(request, methods);
  require_version(request);
  if (request.path.size() == 1) return create(state, request, respond);
  if (request.path.size() > 2) throw not_found("resource", request.target);
  if (request.method == "POST")
    throw Problem(400, "request", "POST needs the header X-HTTP-Method-Override here");
  if (request.method == "HEAD") return tell_offset(state, request, respond);
  TusUpload& upload = state.uploads.at(request.segment(1));
  if (upload.owner != request.owner) throw not_found("upload", request.segment(1));
  if (request.method == "PATCH") return take_piece(state, request, upload, respond);
  if (upload.complete)
    throw Problem(409, "request",
                  "the upload is already becoming a cloud; remove the cloud instead");
  state.uploads.remove(upload.id, [respond](const std::exception_ptr& failure) {
    respond(failure ? Problem::of(failure).response() : tus_response(204));
  });
}

}  // namespace skde::service

#include <fmt/format.h>
#include <unistd.h>

#include <boost/beast/core/detail/base64.hpp>

#include "service/file_response.hpp"
#include "service/http_problem.hpp"
#include "service/service_routes.hpp"

namespace skde::service {
namespace {

using Json = nlohmann::ordered_json;

/// More is a reference, or comes by itself: it would be held in memory.
constexpr std::uint64_t kMostEmbedded = std::uint64_t{64} << 20;

std::string bytes_of(const StoredResult& result, const Json& file) {
  const OpenFile open(result.path_of(file));
  if (open.size() > kMostEmbedded)
    throw Problem(413, "limit",
                  fmt::format("an output of {} bytes is too large to stand in a text", open.size()),
                  {"outputs", "ask for it alone, or by `transmissionMode=reference`"});
  std::string bytes(open.size(), '\0');
  std::size_t at = 0;
  while (at < bytes.size()) {
    const ssize_t count =
        pread(open.descriptor(), bytes.data() + at, bytes.size() - at, static_cast<off_t>(at));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) throw Problem(410, "not-found", "the bytes are no longer there");
    at += static_cast<std::size_t>(count);
  }
  return bytes;
}

std::string base64(const std::string& bytes) {
  namespace encoding = boost::beast::detail::base64;
  std::string text(encoding::encoded_size(bytes.size()), '\0');
  text.resize(encoding::encode(text.data(), bytes.data(), bytes.size()));
  return text;
}

Json reference(const StoredResult& result, const std::string& job_path, const std::string& name) {
  const auto file = result.files.find(name);
  const Json type = file == result.files.end() ? Json("application/json") : (*file)["type"];
  return {{"href", job_path + "/results/" + name}, {"type", type}};
}

Json document_value(const StoredResult& result, const std::string& job_path,
                    const WantedOutput& output) {
  const bool is_file = result.files.contains(output.name);
  const bool by_reference = output.by_reference.value_or(is_file);
  if (by_reference && !job_path.empty()) return reference(result, job_path, output.name);
  if (!is_file) return result.values[output.name];
  const Json& file = result.files[output.name];
  return {{"value", base64(bytes_of(result, file))},
          {"encoding", "base64"},
          {"mediaType", file["type"]}};
}

/// The outputs that there are, of those that are wanted.
std::vector<WantedOutput> present(const Job& job, const StoredResult& result) {
  std::vector<WantedOutput> outputs;
  if (!job.request.process)  // of an older version, which knew what was wanted
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
  for (const WantedOutput& output : outputs) {
    const auto file = result.files.find(output.name);
    response.body += fmt::format("--{}\r\nContent-ID: <{}>\r\n", boundary, output.name);
    if (output.by_reference.value_or(false) && !job_path.empty())
      response.body +=
          fmt::format("Content-Location: {}/results/{}\r\n\r\n\r\n", job_path, output.name);
    else if (file != result.files.end())
      response.body += fmt::format("Content-Type: {}\r\n\r\n{}\r\n",
                                   (*file)["type"].get<std::string>(), bytes_of(result, *file));
    else
      response.body += fmt::format("Content-Type: application/json\r\n\r\n{}\r\n",
                                   result.values[output.name].dump());
  }
  response.body += fmt::format("--{}--\r\n", boundary);
  return std::move(
      response.with("Content-Type", fmt::format("multipart/related; boundary=\"{}\"", boundary)));
}

}  // namespace

Response output_response(const Request& request, const StoredResult& result,
                         const std::string& output) {
  const std::string etag = result.etag_of(output);
  if (const auto file = result.files.find(output); file != result.files.end()) {
    Response response =
        file_response(request, result.path_of(*file), (*file)["type"].get<std::string>(), etag);
    response.with("Content-Disposition",
                  fmt::format("attachment; filename=\"{}\"", (*file)["file"].get<std::string>()));
    return response;
  }
  const auto value = result.values.find(output);
  if (value == result.values.end()) throw not_found("output", output);
  Response response = json_response(*value);
  response.with("ETag", etag);
  if (!tag_matches(request.header("if-none-match"), etag)) return response;
  response.status = 304;
  response.body.clear();
  return response;
}

Response results_response(const Request& request, const Job& job, const StoredResult& result,
                          const std::string& job_path) {
  const std::vector<WantedOutput> outputs = present(job, result);
  Response response;
  if (job.request.response == ResponseForm::document) {
    Json document = Json::object();
    for (const WantedOutput& output : outputs)
      document[output.name] = document_value(result, job_path, output);
    response = json_response(document);
  } else if (outputs.size() == 1 && outputs[0].by_reference.value_or(false) && !job_path.empty()) {
    response.status = 204;
    const Json link = reference(result, job_path, outputs[0].name);
    response.with("Link",
                  fmt::format("<{}>; rel=\"{}\"; type=\"{}\"", link["href"].get<std::string>(),
                              outputs[0].name, link["type"].get<std::string>()));
  } else if (outputs.size() == 1) {
    response = output_response(request, result, outputs[0].name);
  } else {
    response = multipart(result, outputs, job_path);
  }
  return std::move(response.with("Skde-Cache", job.cached ? "hit" : "miss"));
}

}  // namespace skde::service

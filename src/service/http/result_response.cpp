#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "io/text/json_object.hpp"
#include "service/answer/http_message.hpp"
#include "service/http/file_response.hpp"
#include "service/http/service_routes.hpp"

namespace skde::service {
namespace {

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

}  // namespace

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

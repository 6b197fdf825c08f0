#include "skde/remote/server_run.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/command_result.hpp"
#include "cli/exit_code.hpp"
#include "cli/json_document.hpp"
#include "cli/output_path.hpp"
#include "cli/results/shared_tables.hpp"
#include "cli/standard_output.hpp"
#include "cli/terminal_progress.hpp"
#include "commands/output/volume_output.hpp"
#include "core/report/error.hpp"
#include "io/bytes/output_file.hpp"
#include "io/json_object.hpp"
#include "io/volumes/volume_formats.hpp"
#include "skde/remote/http_client.hpp"
#include "skde/remote/server_call.hpp"

namespace skde::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string upload(const HttpClient& client, const std::string& path, Progress& progress) {
  std::error_code missing;
  const auto bytes = std::filesystem::file_size(path, missing);
  if (missing) throw Error(ErrorKind::input, fmt::format("{}: cannot be opened", path));
  std::string name;
  for (const unsigned char c : std::filesystem::path(path).filename().string())
    name += fmt::format("%{:02x}", c);
  progress.begin("sending " + path, bytes, "bytes");
  HttpRequest request{.method = "POST", .path = "/clouds?name=" + name, .body_file = path};
  request.sent = [&](std::uint64_t sent) {
    progress.throw_if_cancelled();
    progress.update(sent);
  };
  return client.call(request).json().value("id", "");
}

/// Shows the events of a job until it has ended; returns its last status.
Json follow(const HttpClient& client, const std::string& job, Progress& progress) {
  Json status;
  std::string text, stage;
  HttpRequest request{.path = "/jobs/" + job + "/events"};
  request.waits = [&] { progress.throw_if_cancelled(); };  // also during long pauses
  request.take = [&](std::string_view bytes) {
    progress.throw_if_cancelled();
    text += bytes;
    for (std::size_t end = text.find("\n\n"); end != text.npos; end = text.find("\n\n")) {
      const std::size_t data = text.find("data: ");
      if (data < end) status = io::json_if_valid(text.substr(data + 6, end - data - 6));
      text.erase(0, end + 2);
      if (!status.is_object()) continue;
      const std::string now = status.value("stage", "");
      if (now != stage && !now.empty())
        progress.begin(now, status.value("total", std::uint64_t{0}), status.value("unit", ""));
      stage = now;
      progress.update(status.value("done", std::uint64_t{0}));
    }
  };
  client.call(request);
  return status;
}

/// Writes an output of the job to a file, which appears whole or not at all.
void download(const HttpClient& client, const std::string& from, const std::string& path) {
  io::OutputFile file(path);
  HttpRequest request{.path = from};
  request.take = [&](std::string_view bytes) { file.write(bytes); };
  client.call(request);
  file.commit();
}

/// Returns the ID of a sent file; for a volume in a file, followed by its name.
std::string id_of(const HttpClient& client, const SentFile& file, Progress& progress) {
  if (file.input->kind == ResourceKind::cloud) return upload(client, file.path, progress);
  const io::VolumePath parts = io::volume_path(file.path);
  if (parts.file.ends_with(".npy"))
    throw Error(ErrorKind::unsupported,
                fmt::format("{}: its description is a separate file, and services take one file",
                            parts.file),
                {{}, "convert it to .nrrd first"});
  const std::string id = upload(client, parts.file, progress);
  return parts.field.empty() ? id : id + ':' + parts.field;
}

void send_files(ServerCall& call, const HttpClient& client, Progress& progress) {
  for (const SentFile& file : call.files) {
    const std::string id = id_of(client, file, progress);
    if (file.input->several)
      call.inputs[file.input->name].push_back(id);
    else
      call.inputs[file.input->name] = id;
  }
}

Json execution_of(const ServerCall& call) {
  Json outputs{{call.command->value, Json::object()}};
  if (!call.json && call.tells) outputs["report"] = Json::object();
  for (const auto& [name, path] : call.wanted) outputs[name] = Json::object();
  return {{"inputs", call.inputs}, {"outputs", outputs}, {"response", "document"}};
}

std::vector<WrittenFile> fetch(const HttpClient& client, const ServerCall& call,
                               const std::string& job) {
  std::vector<WrittenFile> written;
  for (const FileOutput& file : call.command->files) {
    const auto path = call.wanted.find(file.name);
    if (path == call.wanted.end()) continue;
    download(client, fmt::format("/jobs/{}/results/{}", job, file.name), path->second);
    written.push_back(written_file(file.name.c_str(), path->second));
  }
  return written;
}

/// Names of files on the service, and their paths on this machine.
using OwnPaths = std::vector<std::pair<std::string, std::string>>;

OwnPaths own_paths(const ServerCall& call) {
  OwnPaths paths;
  for (const FileOutput& file : call.command->files) {
    const auto path = call.wanted.find(file.name);
    if (path == call.wanted.end()) continue;
    std::string suffix = file.suffix;
    for (const ResultFormat& format : call.command->formats)
      if (suffix.empty() && call.inputs.value("format", "") == format.name)
        suffix = format.extension;
    paths.emplace_back(file.name + suffix, path->second);
  }
  for (const SentFile& file : call.files) {
    const std::string path =
        file.input->kind == ResourceKind::volume ? io::volume_path(file.path).file : file.path;
    const std::string own = std::filesystem::path(path).filename().string();
    std::string name = own;  // with a number before it where another file has it
    for (int number = 2;
         std::ranges::find(paths, name, &OwnPaths::value_type::first) != paths.end(); ++number)
      name = fmt::format("{}/{}", number, own);
    paths.emplace_back(std::move(name), path);
  }
  return paths;
}

/// Replaces file names in a report by the paths on this machine. A name stands at the start of a
/// line, after two blanks, or after a quotation mark of JSON.
std::string with_own_paths(std::string report, const OwnPaths& paths) {
  const auto begins = [&](std::size_t at) {
    if (at == 0 || report[at - 1] == '\n' || report[at - 1] == '"') return true;
    return at > 3 && report.compare(at - 2, 2, "  ") == 0 && report[at - 3] != '\n';
  };
  for (std::size_t at = 0; at < report.size(); ++at) {
    if (!begins(at)) continue;
    for (const auto& [name, path] : paths) {
      const std::size_t end = at + name.size();
      if (report.compare(at, name.size(), name) != 0 ||
          (end < report.size() && std::isalnum(static_cast<unsigned char>(report[end]))))
        continue;
      report.replace(at, name.size(), path);
      at += path.size();
      break;
    }
  }
  return report;
}

/// Shows the results as the command itself would. Writes the summary to the output if the command
/// has no other file.
CommandResult show(const ServerCall& call, const Json& results,
                   const std::vector<WrittenFile>& written) {
  Json summary = results.value(call.command->value, Json::object());
  if (summary.contains("inputs")) summary["inputs"] = call.arguments;
  if (!written.empty()) summary["written"] = json_of(written);
  if (const auto warnings = summary.find("warnings"); warnings != summary.end())
    for (const Json& warning : *warnings) print_warning("skde", read_as<Warning>(warning));
  const bool is_output = call.command->files.empty() && !call.output.empty();
  if (is_output) io::write_json(call.output, summary);
  const auto report = [&] {
    return is_output ? "" : with_own_paths(results.value("report", ""), own_paths(call));
  };
  return {{call.json, !call.tells}, summary, report()};
}

}  // namespace

CommandResult run_on_server(const std::vector<std::string>& arguments) {
  ServerCall call = server_call(arguments);
  const HttpClient client(call.url);
  TerminalProgress progress(!call.quiet);
  send_files(call, client, progress);
  const HttpRequest execution{.method = "POST",
                              .path = "/processes/" + call.command->id + "/execution",
                              .headers = "Prefer: respond-async\r\n",
                              .body = io::json_line(execution_of(call))};
  const std::string job = client.call(execution).json().value("jobID", "");
  try {
    follow(client, job, progress);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::cancelled)
      client.call({.method = "DELETE", .path = "/jobs/" + job});
    throw;
  }
  progress.clear();
  const Json results = client.call({.path = "/jobs/" + job + "/results"}).json();
  return show(call, results, fetch(client, call, job));
}

}  // namespace skde::cli

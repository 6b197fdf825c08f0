#include "service/http/landing_routes.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/kernel/kernel_function.hpp"
#include "core/version.hpp"
#include "io/text/json_object.hpp"
#include "pictures/color_map.hpp"
#include "service/http/file_response.hpp"
#include "service/http/openapi.hpp"
#include "service/http/service_routes.hpp"
#include "service/store/content_hash.hpp"

namespace skde::service {
namespace {

using Json = nlohmann::ordered_json;

Json link(const char* href, const char* rel, const char* type, const char* title) {
  return {{"href", href}, {"rel", rel}, {"type", type}, {"title", title}};
}

Json landing_page() {
  Json page = {{"title", "skde-serve"},
               {"description", "Exact 3-D kernel density estimation as a service"},
               {"version", kVersion},
               {"links",
                {link("/", "self", "application/json", "this page"),
                 link("/api", "service-desc", "application/vnd.oai.openapi+json;version=3.0",
                      "the API as OpenAPI"),
                 link("/conformance", "http://www.opengis.net/def/rel/ogc/1.0/conformance",
                      "application/json", "the conformance classes"),
                 link("/processes", "http://www.opengis.net/def/rel/ogc/1.0/processes",
                      "application/json", "the processes"),
                 link("/jobs", "http://www.opengis.net/def/rel/ogc/1.0/job-list",
                      "application/json", "the jobs"),
                 link("/clouds", "items", "application/json", "the clouds")}}};
  if (!embedded_files().empty())
    page["links"].push_back(link("/view", "alternate", "text/html", "the page for browsers"));
  return page;
}

/// Returns true if the client reads HTML and did not ask for JSON.
bool is_browser(const Request& request) {
  const std::string types = lower_case(request.header("accept"));
  return types.find("text/html") != types.npos && types.find("json") == types.npos;
}

Response page_for_browsers() {
  constexpr std::string_view kWithView =
      "<p>Open <code><a href=\"/view\">/view</a>#token=TOKEN</code> to see clouds and densities; "
      "the service prints that link with its token at the start.</p>";
  constexpr std::string_view kWithout =
      "<p>This service was built without the page that shows clouds and densities.</p>";
  Response response;
  response.body = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>skde-serve</title>"
      "<style>body{{font:1rem/1.5 sans-serif;max-width:40rem;margin:3rem auto;padding:0 "
      "1rem}}</style>"
      "<h1>skde-serve {}</h1><p>Exact 3-D kernel density estimation as a service.</p>{}"
      "<p>For programs: <a href=\"/api\">the API as OpenAPI</a>, by OGC API - Processes 1.0. "
      "Requests "
      "carry the header <code>Authorization: Bearer TOKEN</code>.</p></html>\n",
      kVersion, embedded_files().empty() ? kWithout : kWithView);
  return std::move(response.with("Content-Type", "text/html; charset=utf-8")
                       .with("Content-Security-Policy",
                             "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; "
                             "form-action 'none'; frame-ancestors 'none'")
                       .with("X-Content-Type-Options", "nosniff"));
}

Json conformance() {
  Json classes = Json::array();
  for (const char* name :
       {"core", "ogc-process-description", "json", "oas30", "job-list", "dismiss"})
    classes.push_back(std::string("http://www.opengis.net/spec/ogcapi-processes-1/1.0/conf/") +
                      name);
  return {{"conformsTo", classes}};
}

constexpr const char* kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

struct ContentType {
  std::string_view extension, type;
};
constexpr auto kTypes = std::to_array<ContentType>({
    {".html", "text/html; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".json", "application/json"},
    {".svg", "image/svg+xml"},
    {".png", "image/png"},
    {".wasm", "application/wasm"},
    {".woff2", "font/woff2"},
});

/// Returns what the page takes from tables of skde: the names of the kernels, the opacities, and
/// the colour maps as evenly spaced colours. They are a module, as the page then has them before it
/// is shown.
std::string look_module() {
  constexpr int kLast = 255;
  nlohmann::ordered_json look;
  for (const KernelRow& row : kernel_table()) look["kernels"].push_back(row.name);
  for (const OpacityPreset& preset : kOpacityPresets)
    for (const auto& [position, opacity] : preset.points)
      look["opacities"][std::string(preset.name)].push_back({position, opacity});
  for (const auto& [name, map] : kColorMaps)
    for (int i = 0; i <= kLast; ++i) {
      const auto [red, green, blue] = map_rgb(map, static_cast<double>(i) / kLast);
      auto& color = look["colourMaps"][std::string(name)].emplace_back();
      for (const double part : {red, green, blue}) color.push_back(std::round(1e4 * part) / 1e4);
    }
  return "export const { kernels, opacities, colourMaps } = " + io::json_line(look);
}

/// Returns the files of the build, and what is made from tables.
const std::vector<EmbeddedFile>& page_files() {
  static const std::string look = look_module(), hash = check_sum(look);
  static const std::vector<EmbeddedFile> files = [] {
    std::vector<EmbeddedFile> all(embedded_files().begin(), embedded_files().end());
    all.push_back({"look.js", look, hash});
    return all;
  }();
  return files;
}

std::string_view type_of(std::string_view name) {
  for (const auto& [extension, type] : kTypes)
    if (name.ends_with(extension)) return type;
  return "application/octet-stream";
}

const std::time_t kStarted = std::time(nullptr);

/// Adds one metric in the Prometheus text format.
void put(std::string& text, std::string_view name, std::string_view type, std::string_view help,
         double value) {
  text += fmt::format("# HELP skde_{0} {1}\n# TYPE skde_{0} {2}\nskde_{0} {3}\n", name, help, type,
                      value);
}

/// Adds one line for each pair of the value of a label and a number.
void put_each(std::string& text, std::string_view name, std::string_view type,
              std::string_view help, std::string_view label, const auto& values) {
  text += fmt::format("# HELP skde_{0} {1}\n# TYPE skde_{0} {2}\n", name, help, type);
  for (const auto& [which, value] : values)
    text += fmt::format("skde_{}{{{}=\"{}\"}} {}\n", name, label, which, value);
}

void put_jobs(std::string& text, ServiceState& state) {
  std::map<std::string_view, std::size_t> counts;
  for (const JobState each : kJobStates) counts[state_name(each)] = 0;
  for (const auto& [id, job] : state.jobs.table().all()) ++counts[state_name(job->state)];
  put_each(text, "jobs", "gauge", "Jobs in the table, by state", "state", counts);
}

/// Adds one line per worker.
void put_memory(std::string& text, const JobMetrics& jobs, std::string_view name,
                std::string_view help, std::uint64_t WorkerMemory::*bytes) {
  std::map<std::string_view, std::uint64_t> values;
  for (const auto& [role, memory] : jobs.memory)
    if (bytes == &WorkerMemory::samples || memory.device_total > 0) values[role] = memory.*bytes;
  put_each(text, name, "gauge", help, "worker", values);
}

/// Adds those of the process of the service, under the names that Prometheus gives them.
void put_process(std::string& text) {
  double pages = 0;
  std::ifstream("/proc/self/statm") >> pages >> pages;
  std::error_code ignored;
  const auto files =
      std::distance(std::filesystem::directory_iterator("/proc/self/fd", ignored), {});
  const auto add = [&](std::string_view name, std::string_view type, double value) {
    text += fmt::format("# TYPE process_{0} {1}\nprocess_{0} {2}\n", name, type, value);
  };
  add("cpu_seconds_total", "counter", static_cast<double>(std::clock()) / CLOCKS_PER_SEC);
  add("resident_memory_bytes", "gauge", pages * static_cast<double>(sysconf(_SC_PAGESIZE)));
  add("open_fds", "gauge", static_cast<double>(files));
  add("start_time_seconds", "gauge", static_cast<double>(kStarted));
}

std::string metrics_text(ServiceState& state) {
  std::string text;
  const JobMetrics& jobs = state.metrics;
  const Traffic& traffic = state.traffic;
  const auto real = [](std::uint64_t value) { return static_cast<double>(value); };
  put_jobs(text, state);
  put(text, "queue_length", "gauge", "Runs that are waiting",
      real(state.jobs.queue().waiting().size()));
  put(text, "runs_running", "gauge", "Runs in progress", real(state.jobs.queue().running()));
  put(text, "runs_total", "counter", "Runs that workers have finished", real(jobs.runs));
  put(text, "run_seconds_total", "counter", "Seconds that workers have run", jobs.run_seconds);
  put(text, "cache_hits_total", "counter", "Results found in the cache", real(jobs.cache_hits));
  put(text, "cache_misses_total", "counter", "Results that had to be computed",
      real(jobs.cache_misses));
  put(text, "worker_crashes_total", "counter", "Workers that ended during a run",
      real(jobs.crashes));
  put_memory(text, jobs, "worker_sample_bytes", "Samples in the memory of a worker",
             &WorkerMemory::samples);
  put_memory(text, jobs, "device_memory_used_bytes", "Used memory of a worker's GPU",
             &WorkerMemory::device_used);
  put_memory(text, jobs, "device_memory_bytes", "Memory of a worker's GPU",
             &WorkerMemory::device_total);
  put_each(text, "stage_seconds_total", "counter", "Seconds of the stages of runs", "stage",
           jobs.stage_seconds);
  put(text, "http_requests_total", "counter", "Requests", real(traffic.requests));
  put_each(text, "http_answers_total", "counter", "Answers, by status", "status", traffic.answers);
  put(text, "access_log_lost_total", "counter", "Lines that the access log could not take",
      real(traffic.log.lost()));
  put(text, "http_bytes_in_total", "counter", "Bytes received", real(traffic.bytes_in));
  put(text, "http_bytes_out_total", "counter", "Bytes sent", real(traffic.bytes_out));
  put(text, "http_connections", "gauge", "Connections", real(traffic.connections));
  put(text, "http_refused_total", "counter", "Connections refused over the limit",
      real(traffic.refused));
  put(text, "event_watchers", "gauge", "Connections that watch a job", real(traffic.watchers));
  put(text, "clouds", "gauge", "Clouds", real(state.clouds.all().size()));
  put_process(text);
  return text;
}

}  // namespace

void answer_landing(ServiceState&, const Request& request, const Respond& respond) {
  require_method(request, "GET, HEAD");
  if (request.path.size() > 1) throw not_found("resource", request.target);
  if (request.path.empty())
    return respond(
        std::move((is_browser(request) ? page_for_browsers() : json_response(landing_page()))
                      .with("Vary", "Accept")));
  if (request.segment(0) == "conformance") return respond(json_response(conformance()));
  Response response = json_response(openapi_document());
  response.headers = {{"Content-Type", "application/vnd.oai.openapi+json;version=3.0"}};
  respond(std::move(response));
}

Response page_response(const Request& request) {
  if (embedded_files().empty())
    throw Problem(404, "not-found", "this service was built without the page for browsers",
                  {{}, "install nodejs and npm, and configure again"});
  std::string name;
  for (std::size_t i = 1; i < request.path.size(); ++i)
    name.append(name.empty() ? "" : "/").append(request.path[i]);
  if (name.empty()) name = "index.html";
  for (const EmbeddedFile& file : page_files()) {
    if (file.name != name) continue;
    Response response;
    const std::string etag = '"' + std::string(file.hash) + '"';
    response.with("ETag", etag)
        .with("Content-Security-Policy", kPolicy)
        .with("X-Content-Type-Options", "nosniff")
        .with("Referrer-Policy", "no-referrer")
        .with("Cross-Origin-Opener-Policy", "same-origin")
        .with("Cache-Control", "no-cache");
    if (is_unchanged(request, etag)) {
      response.status = 304;
      return response;
    }
    response.fixed_body = file.bytes;
    return std::move(response.with("Content-Type", std::string(type_of(name))));
  }
  throw not_found("page", name);
}

void answer_health(ServiceState& state, const Request& request, const Respond& respond) {
  require_method(request, "GET, HEAD");
  if (request.segment(0) == "metrics" && request.path.size() == 1) {
    Response response;
    response.body = metrics_text(state);
    return respond(std::move(response.with("Content-Type", "text/plain; version=0.0.4")));
  }
  const std::string_view which = request.segment(1);
  if (request.path.size() != 2 || (which != "live" && which != "ready"))
    throw not_found("resource", request.target);
  const bool ready = which == "live" || (state.jobs.queue().ready() && !state.draining);
  if (!ready)
    throw Problem(503, "busy", "no worker is ready; try again later").with("Retry-After", "1");
  respond(json_response({{"status", "ok"}}));
}

}  // namespace skde::service

#include "service/http/landing_routes.hpp"

#include <fmt/core.h>

#include <array>
#include <cmath>
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

}  // namespace skde::service

#include <fmt/core.h>

#include "core/version.hpp"
#include "service/answer/http_problem.hpp"
#include "service/http/embedded_page.hpp"
#include "service/http/openapi.hpp"
#include "service/http/service_routes.hpp"

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

}  // namespace skde::service

#include "core/version.hpp"
#include "service/embedded_page.hpp"
#include "service/http_problem.hpp"
#include "service/openapi.hpp"
#include "service/service_routes.hpp"

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
                      "application/json", "the classes that it conforms to"),
                 link("/processes", "http://www.opengis.net/def/rel/ogc/1.0/processes",
                      "application/json", "what it computes"),
                 link("/jobs", "http://www.opengis.net/def/rel/ogc/1.0/job-list",
                      "application/json", "the jobs"),
                 link("/clouds", "items", "application/json", "the clouds")}}};
  if (!embedded_files().empty())
    page["links"].push_back(link("/view", "alternate", "text/html", "the page for browsers"));
  return page;
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
  if (request.path.empty()) return respond(json_response(landing_page()));
  if (request.segment(0) == "conformance") return respond(json_response(conformance()));
  Response response = json_response(openapi_document());
  response.headers = {{"Content-Type", "application/vnd.oai.openapi+json;version=3.0"}};
  respond(std::move(response));
}

}  // namespace skde::service

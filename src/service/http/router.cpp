#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "service/answer/http_message.hpp"
#include "service/http/landing_routes.hpp"
#include "service/http/service_routes.hpp"

namespace skde::service {
namespace {

struct Route {
  std::string_view first;  ///< first segment of the path
  bool is_open;            ///< without a token
  void (*answer)(ServiceState& state, const Request& request, const Respond& respond);
};

void answer_page(ServiceState&, const Request& request, const Respond& respond) {
  require_method(request, "GET, HEAD");
  respond(page_response(request));
}

constexpr auto kRoutes = std::to_array<Route>({
    {"", true, answer_landing},
    {"conformance", true, answer_landing},
    {"api", true, answer_landing},
    {"health", true, answer_health},
    {"view", true, answer_page},
    {"metrics", false, answer_health},
    {"processes", false, answer_processes},
    {"jobs", false, answer_jobs},
    {"clouds", false, answer_clouds},
    {"uploads", false, answer_uploads},
});

const Route& route_of(const Request& request) {
  for (const Route& route : kRoutes)
    if (route.first == request.segment(0)) return route;
  throw not_found("resource", request.target);
}

bool is_of_tus(const Request& request) { return request.segment(0) == "uploads"; }

class Router final : public RequestHandler {
 public:
  explicit Router(ServiceState& state) : state_(state) {}
  BodyPlace body_place(Request& request) override;
  void handle(Request request, Respond respond) override;

 private:
  BodyPlace place_of_body(Request& request);

  ServiceState& state_;
};

}  // namespace

void require_method(const Request& request, std::string_view allowed) {
  const std::string list = ", " + std::string(allowed) + ',';
  if (list.find(", " + request.method + ',') != list.npos) return;
  throw Problem(405, "method",
                fmt::format("{} is not allowed for this address; use a method of the header Allow",
                            request.method))
      .with("Allow", allowed.ends_with("OPTIONS") ? std::string(allowed)
                                                  : fmt::format("{}, OPTIONS", allowed));
}

std::uint64_t whole_query(const Request& request, std::string_view name, std::uint64_t otherwise) {
  const auto found = request.query.find(name);
  if (found == request.query.end()) return otherwise;
  const std::string& text = found->second;
  const auto value = whole_number(text);
  if (!value)
    throw Problem(400, "usage", fmt::format("'{}' must be an integer", text.substr(0, 64)),
                  {std::string(name), {}});
  return *value;
}

RequestHandler::BodyPlace Router::body_place(Request& request) {
  try {
    BodyPlace place = place_of_body(request);
    if (is_of_tus(request)) place.headers = {{"Tus-Resumable", kTusVersion}};
    return place;
  } catch (Problem& problem) {
    if (is_of_tus(request)) problem.with("Tus-Resumable", kTusVersion);
    throw;
  }
}

RequestHandler::BodyPlace Router::place_of_body(Request& request) {
  if (request.target == "*") return {};
  const Route& route = route_of(request);
  if (is_of_tus(request)) override_method(request);
  request.owner = state_.tokens.owner_of(request.header("authorization"));
  if (!route.is_open && request.owner.empty())
    throw Problem(
        401, "unauthorized", "the header 'Authorization: Bearer TOKEN' is required",
        {{},
         "use the token that the service prints at the start; in a browser it belongs after "
         "#token= in the URL"})
        .with("WWW-Authenticate", "Bearer");
  if (route.is_open && request.has_body) {  // anybody could send a body, and nothing reads it
    require_method(request, "GET, HEAD");
    return {};
  }
  // One share is left for those without a token, who give way, such as a look at the health.
  const std::size_t share = route.is_open
                                ? 0
                                : std::max<std::size_t>(1, state_.limits.connections /
                                                               (state_.tokens.owners().size() + 1));
  if (auto sink = cloud_sink(state_, request)) return {0, std::move(sink), share};
  if (auto sink = piece_sink(state_, request)) return {0, std::move(sink), share};
  return {state_.limits.json_bytes, nullptr, share};
}

void Router::handle(Request request, Respond respond) {
  const bool tus = is_of_tus(request);
  const auto answer = [tus, respond = std::move(respond)](Response response) {
    const auto is_version = [](const auto& header) { return header.first == "Tus-Resumable"; };
    if (tus && std::ranges::none_of(response.headers, is_version))
      response.with("Tus-Resumable", kTusVersion);
    respond(std::move(response));
  };
  try {
    if (request.target == "*") require_method(request, "GET, HEAD, POST, PATCH, DELETE");
    route_of(request).answer(state_, request, answer);
  } catch (...) {
    Response response = Problem::of(std::current_exception()).response();
    if (request.method == "OPTIONS" && response.status == 405) {
      response.status = 204;
      response.body.clear();
      std::erase_if(response.headers, [](const auto& header) { return header.first != "Allow"; });
    }
    answer(std::move(response));
  }
}

std::unique_ptr<RequestHandler> make_router(ServiceState& state) {
  return std::make_unique<Router>(state);
}

}  // namespace skde::service

#include "service/answer/http_problem.hpp"

#include <fmt/core.h>

#include <array>
#include <new>

namespace skde::service {
namespace {

// Types of problems: URIs of OGC API - Processes 1.0, or a kind of our own below a UUID (RFC 9562),
// which needs no registration and no server.
constexpr std::string_view kOgcTypes =
    "http://www.opengis.net/def/exceptions/ogcapi-processes-1/1.0/";
constexpr std::string_view kOwnTypes = "urn:uuid:6f2d1c9e-8a47-4b53-9c1e-5d70f3b8a264#";

struct Kind {
  std::string_view type, title;
};

constexpr auto kKinds = std::to_array<Kind>({
    {"usage", "Invalid request"},
    {"input", "The cloud cannot be used"},
    {"output", "The result cannot be written"},
    {"resources", "Not enough memory, or no usable device"},
    {"unsupported", "Not supported"},
    {"cancelled", "Stopped"},
    {"request", "Malformed request"},
    {"unauthorized", "Token required"},
    {"not-found", "Not found"},
    {"method", "Method not allowed"},
    {"limit", "Limit exceeded"},
    {"disk", "The disk is full"},
    {"busy", "The service is busy"},
    {"crash", "The computation failed"},
    {"internal", "Unexpected failure"},
});

std::string_view title_of(std::string_view type) {
  for (const Kind& kind : kKinds)
    if (kind.type == type) return kind.title;
  return "Failure";
}

unsigned status_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage:
    case ErrorKind::unsupported:
      return 400;
    case ErrorKind::input:
      return 422;
    case ErrorKind::output:
      return 507;
    case ErrorKind::resources:
      return 413;
    case ErrorKind::cancelled:
      return 410;
  }
  return 500;
}

nlohmann::ordered_json or_null(const std::string& text) {
  return text.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(text);
}

std::string text_at(const nlohmann::ordered_json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

}  // namespace

Problem::Problem(unsigned status, std::string type, const std::string& detail, ErrorAdvice advice)
    : std::runtime_error(detail),
      status_(status),
      type_(std::move(type)),
      advice_(std::move(advice)) {}

Problem Problem::of(const Error& error) {
  return {status_of(error.kind()), std::string(error_kind_name(error.kind())), error.problem(),
          error.advice()};
}

Problem Problem::of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Problem& problem) {
    return problem;
  } catch (const Error& error) {
    return of(error);
  } catch (const std::bad_alloc&) {
    return Problem(503, "busy", "the service is out of memory; try again later")
        .with("Retry-After", "5");
  } catch (const std::exception& error) {
    return {500, "internal", error.what()};
  }
}

Problem Problem::from_json(const nlohmann::ordered_json& json) {
  std::string type = text_at(json, "kind");
  return {json.value("status", 500U),
          type.empty() ? "internal" : type,
          text_at(json, "detail"),
          {text_at(json, "parameter"), text_at(json, "suggestion")}};
}

nlohmann::ordered_json Problem::json() const {
  const std::string uri = ogc_type_.empty() ? fmt::format("{}{}", kOwnTypes, type_)
                                            : fmt::format("{}{}", kOgcTypes, ogc_type_);
  return {{"type", uri},
          {"title", title_of(type_)},
          {"status", status_},
          {"detail", what()},
          {"kind", type_},
          {"parameter", or_null(advice_.parameter)},
          {"suggestion", or_null(advice_.suggestion)}};
}

Response Problem::response() const {
  Response response = json_response(json(), status_);
  response.headers = headers_;
  return std::move(response.with("Content-Type", "application/problem+json"));
}

Problem not_found(std::string_view kind, std::string_view id) {
  Problem problem(404, "not-found", fmt::format("there is no {} '{}'", kind, id.substr(0, 64)));
  if (kind == "job" || kind == "process") problem.as(fmt::format("no-such-{}", kind));
  return problem;
}

Problem too_large_for_json(double bytes) {
  return {413,
          "limit",
          fmt::format("an output of {:.0f} bytes is too large for a JSON document", bytes),
          {"outputs", "request it separately, or with `transmissionMode=reference`"}};
}

}  // namespace skde::service

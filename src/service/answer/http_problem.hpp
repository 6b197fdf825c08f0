#pragma once

#include <exception>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/report/error.hpp"
#include "service/answer/http_message.hpp"

namespace skde::service {

/// The answer to a request that fails (RFC 9457).
class Problem : public std::runtime_error {
 public:
  Problem(unsigned status, std::string type, const std::string& detail, ErrorAdvice advice = {});
  /// Converts an Error of skde, with its parameter and its suggestion.
  static Problem of(const Error& error);
  /// Converts any exception; 503 if memory ran out.
  static Problem of(const std::exception_ptr& thrown);
  /// Reads what json() wrote.
  static Problem from_json(const nlohmann::ordered_json& json);

  unsigned status() const { return status_; }
  const std::string& type() const { return type_; }
  nlohmann::ordered_json json() const;
  Response response() const;

  /// Sets an exception type of OGC API - Processes 1.0, given by the last part of its URI.
  Problem& as(std::string_view ogc_type) {
    ogc_type_ = ogc_type;
    return *this;
  }
  /// Adds a header such as Retry-After.
  Problem& with(std::string name, std::string value) {
    headers_.emplace_back(std::move(name), std::move(value));
    return *this;
  }

 private:
  unsigned status_;
  std::string type_, ogc_type_;
  ErrorAdvice advice_;
  std::vector<std::pair<std::string, std::string>> headers_;
};

/// Returns a 404 for a kind of resource, such as "job" or "cloud", with the OGC API - Processes
/// exception type of that kind if there is one.
Problem not_found(std::string_view kind, std::string_view id);
/// Returns a 413 for a file of so many bytes that was to stand in a JSON document.
Problem too_large_for_json(double bytes);

}  // namespace skde::service

#pragma once

#include <exception>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/report/error.hpp"
#include "service/http/http_message.hpp"

namespace skde::service {

/// What a request is answered with where it fails: RFC 9457.
class Problem : public std::runtime_error {
 public:
  Problem(unsigned status, std::string type, const std::string& detail, ErrorAdvice advice = {});
  /// skde's own errors: what they say of the parameter and what mends it.
  static Problem of(const Error& error);
  /// Whatever was thrown; 503 where there was no memory for it.
  static Problem of(const std::exception_ptr& thrown);
  /// As json() made it.
  static Problem from_json(const nlohmann::ordered_json& json);

  unsigned status() const { return status_; }
  const std::string& type() const { return type_; }
  nlohmann::ordered_json json() const;
  Response response() const;

  /// Of an exception type of OGC API - Processes 1.0, by the last part of its URI.
  Problem& as(std::string_view ogc_type) {
    ogc_type_ = ogc_type;
    return *this;
  }
  /// With a header besides, as Retry-After.
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

/// 404 of a thing of a kind: "job", "cloud"; of those that OGC API - Processes has an exception
/// type for, with that.
Problem not_found(std::string_view kind, std::string_view id);
/// The words for a status: "Not Found".
std::string_view reason_of(unsigned status);

}  // namespace skde::service

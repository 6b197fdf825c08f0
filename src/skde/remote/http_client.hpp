#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace skde::cli {

/// A request to a service of skde, and what is done with the answer.
struct HttpRequest {
  std::string method = "GET", path, headers{};
  std::string body{};
  std::string body_file{};  ///< instead of `body`
  /// Gets the bytes of a successful answer as they come; empty: they are in the answer.
  std::function<void(std::string_view)> take{};
  /// Called a few times a second while bytes of the answer are awaited; may throw.
  std::function<void()> waits{};
  /// Told how many bytes of the file are sent; may throw.
  std::function<void(std::uint64_t)> sent{};
};
struct HttpAnswer {
  int status = 0;
  std::string body;
  nlohmann::ordered_json json() const;
};

/// Requests to one address, a connection each. There is no TLS in it.
class HttpClient {
 public:
  /// "http://127.0.0.1:8080/#token=..."; without a token that of the environment,
  /// SKDE_SERVER_TOKEN, holds. Error(usage) where it is no such address.
  explicit HttpClient(const std::string& url);
  /// Error(input) where nobody answers, and the service's own error where it refuses.
  HttpAnswer call(const HttpRequest& request) const;

 private:
  std::string host_, port_, token_;
};

}  // namespace skde::cli

#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace skde::cli {

/// A request to a service of skde, and how its answer is handled.
struct HttpRequest {
  std::string method = "GET", path, headers{};
  std::string body{};
  std::string body_file{};  ///< instead of `body`
  /// Receives the bytes of a successful answer as they come; empty: they go to the answer.
  std::function<void(std::string_view)> take{};
  /// Called a few times a second while waiting for the answer; may throw.
  std::function<void()> waits{};
  /// Called with the number of bytes of the file sent so far; may throw.
  std::function<void(std::uint64_t)> sent{};
};
struct HttpAnswer {
  int status = 0;
  std::string body;
  nlohmann::ordered_json json() const;
};

/// Sends requests to one address, each on its own connection, without TLS.
class HttpClient {
 public:
  /// Reads "http://127.0.0.1:8080/#token=..."; the default token is that of the environment
  /// variable SKDE_SERVER_TOKEN. Throws Error(usage) if it is not such an address.
  explicit HttpClient(const std::string& url);
  /// Throws Error(input) if nobody answers, and the service's own error if it refuses.
  HttpAnswer call(const HttpRequest& request) const;

 private:
  std::string host_, port_, token_;
};

}  // namespace skde::cli

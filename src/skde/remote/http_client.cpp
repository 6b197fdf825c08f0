#include "skde/remote/http_client.hpp"

#include <fmt/core.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <vector>

#include "core/report/error.hpp"
#include "io/json_object.hpp"
#include "io/text_fields.hpp"

namespace skde::cli {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 18;

/// A connection that is always closed at the end.
class Connection {
 public:
  Connection(const std::string& host, const std::string& port) : name_(host + ':' + port) {
    addrinfo hints{}, *found = nullptr;
    hints.ai_socktype = SOCK_STREAM;
    if (getaddrinfo(host.c_str(), port.c_str(), &hints, &found) != 0) fail("is unknown");
    for (const addrinfo* at = found; at && socket_ < 0; at = at->ai_next) {
      socket_ = socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC, at->ai_protocol);
      if (socket_ < 0 || connect(socket_, at->ai_addr, at->ai_addrlen) == 0) continue;
      close(socket_);
      socket_ = -1;
    }
    freeaddrinfo(found);
    if (socket_ < 0) fail("does not answer");
  }
  ~Connection() {
    if (socket_ >= 0) close(socket_);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Returns false if the other side takes no more; it may have answered already.
  bool send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }
  std::string_view receive(std::vector<char>& piece, const std::function<void()>& waits) const {
    constexpr int kPause = 200;  // in milliseconds
    while (true) {
      pollfd ready{socket_, POLLIN, 0};
      if (waits && poll(&ready, 1, kPause) <= 0) {
        waits();
        continue;
      }
      const ssize_t count = recv(socket_, piece.data(), piece.size(), 0);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) fail("broke the connection");
      return {piece.data(), static_cast<std::size_t>(count)};
    }
  }
  [[noreturn]] void fail(const char* why) const {
    throw Error(ErrorKind::input, fmt::format("the service at {} {}", name_, why),
                {"server", "start skde-serve there, or name another service with `server`"});
  }

 private:
  std::string name_;
  int socket_ = -1;
};

ErrorKind kind_named(std::string_view name) {
  for (const ErrorKind kind : {ErrorKind::usage, ErrorKind::input, ErrorKind::output,
                               ErrorKind::resources, ErrorKind::unsupported, ErrorKind::cancelled})
    if (error_kind_name(kind) == name) return kind;
  return ErrorKind::resources;
}

std::string text_at(const nlohmann::ordered_json& json, const char* key) {
  const auto found = json.is_object() ? json.find(key) : json.end();
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

/// Throws the problem that a service answered, as the original error.
[[noreturn]] void throw_problem(const HttpAnswer& answer) {
  const auto json = answer.json();
  const std::string detail = text_at(json, "detail");
  throw Error(kind_named(text_at(json, "kind")),
              detail.empty() ? fmt::format("the service responded with {}", answer.status) : detail,
              {text_at(json, "parameter"), text_at(json, "suggestion")});
}

/// Returns the size of the body from the head of an answer, if given.
std::optional<std::uint64_t> content_length(std::string_view head) {
  constexpr std::string_view kName = "content-length:";
  for (std::size_t at = head.find('\n'); at != head.npos; at = head.find('\n', at + 1)) {
    const std::string_view line = head.substr(at + 1, head.find('\r', at + 1) - at - 1);
    if (io::lower_case(line.substr(0, kName.size())) != kName) continue;
    const std::size_t digits = std::min(line.find_first_not_of(' ', kName.size()), line.size());
    std::uint64_t length = 0;
    const auto parsed = std::from_chars(line.data() + digits, line.data() + line.size(), length);
    if (parsed.ec == std::errc{}) return length;
  }
  return std::nullopt;
}

void send_file(const Connection& connection, const HttpRequest& request) {
  std::ifstream file(request.body_file, std::ios::binary);
  std::vector<char> piece(kPiece);
  std::uint64_t sent = 0;
  while (file) {
    file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    const auto count = static_cast<std::size_t>(file.gcount());
    if (!connection.send({piece.data(), count})) return;
    if (request.sent) request.sent(sent += count);
  }
}

}  // namespace

nlohmann::ordered_json HttpAnswer::json() const { return io::json_if_valid(body); }

HttpClient::HttpClient(const std::string& url) {
  constexpr std::string_view kScheme = "http://", kToken = "#token=";
  const std::size_t mark = url.find(kToken);
  if (mark != url.npos) token_ = url.substr(mark + kToken.size());
  if (const char* given = std::getenv("SKDE_SERVER_TOKEN"); token_.empty() && given) token_ = given;
  if (token_.find_first_of("\r\n") != token_.npos) token_.clear();
  const bool known = url.starts_with(kScheme);
  std::string place = known ? url.substr(kScheme.size()) : "";
  place = place.substr(0, place.find_first_of("/#?"));
  const std::size_t colon = place.rfind(':');
  if (place.empty() || colon == place.npos)
    throw Error(ErrorKind::usage, fmt::format("must be http://HOST:PORT; got '{}'", url),
                {"server", "give the address that skde-serve prints; for TLS use a proxy"});
  host_ = place.substr(0, colon);
  port_ = place.substr(colon + 1);
  if (host_.starts_with('[') && host_.ends_with(']')) host_ = host_.substr(1, host_.size() - 2);
}

HttpAnswer HttpClient::call(const HttpRequest& request) const {
  const Connection connection(host_, port_);
  const std::uint64_t length = request.body_file.empty()
                                   ? request.body.size()
                                   : std::filesystem::file_size(request.body_file);
  const bool sent = connection.send(
      fmt::format("{} {} HTTP/1.1\r\nHost: {}:{}\r\nAuthorization: Bearer {}\r\n"
                  "Connection: close\r\nContent-Length: {}\r\n{}\r\n",
                  request.method, request.path, host_, port_, token_, length, request.headers));
  if (sent && request.body_file.empty()) connection.send(request.body);
  if (sent && !request.body_file.empty()) send_file(connection, request);
  HttpAnswer answer;
  std::vector<char> piece(kPiece);
  std::string head;
  std::size_t end = head.npos;
  while (end == head.npos) {
    const std::string_view more = connection.receive(piece, request.waits);
    if (more.empty()) connection.fail("broke the connection");
    head += more;
    end = head.find("\r\n\r\n");
  }
  std::from_chars(head.data() + std::min<std::size_t>(9, head.size()), head.data() + head.size(),
                  answer.status);
  const bool streamed = request.take && answer.status / 100 == 2;
  std::uint64_t taken = 0;
  const auto take = [&](std::string_view bytes) {
    taken += bytes.size();
    if (streamed)
      request.take(bytes);
    else
      answer.body += bytes;
  };
  take(std::string_view(head).substr(end + 4));
  for (auto more = connection.receive(piece, request.waits); !more.empty();
       more = connection.receive(piece, request.waits))
    take(more);
  const auto promised = content_length(std::string_view(head).substr(0, end + 2));
  if (promised && taken < *promised) connection.fail("broke the connection");
  if (answer.status / 100 != 2) throw_problem(answer);
  return answer;
}

}  // namespace skde::cli

#include "service/answer/http_message.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <new>

#include "io/text/json_object.hpp"

namespace skde::service {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

unsigned char* octets(std::string& bytes) { return reinterpret_cast<unsigned char*>(bytes.data()); }

std::string decoded_address(std::string_view text, bool plus_is_blank) {
  const auto result = decoded_escapes(text, plus_is_blank);
  if (!result)
    throw Problem(400, "request",
                  "an escape sequence in the address must be % and two hexadecimal digits");
  if (result->find('\0') != result->npos)
    throw Problem(400, "request", "the address must not have a zero byte");
  return *result;
}

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

std::optional<std::string> decoded_escapes(std::string_view text, bool plus_is_blank) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      result += plus_is_blank && text[i] == '+' ? ' ' : text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
    const int low = high < 0 ? -1 : hex_digit(text[i + 2]);
    if (low < 0) return std::nullopt;
    result += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return result;
}

std::optional<std::string> decoded_base64(std::string_view text) {
  std::string letters(text.substr(0, text.find('=')));
  const bool is_padded = letters.size() < text.size();
  const std::size_t padding = (4 - letters.size() % 4) % 4;
  letters.append(padding, '=');
  if (padding == 3 || (is_padded && letters != text)) return std::nullopt;
  std::string bytes(letters.size() / 4 * 3, '\0');
  // Counts fewer bytes if it has skipped blanks at the ends.
  if (EVP_DecodeBlock(octets(bytes), octets(letters), static_cast<int>(letters.size())) !=
      static_cast<int>(bytes.size()))
    return std::nullopt;
  bytes.resize(bytes.size() - padding);
  return bytes;
}

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_whole = problem == std::errc{} && end == text.data() + text.size();
  return is_whole ? std::optional(value) : std::nullopt;
}

std::string media_type_of(const Request& request) {
  const std::string_view header = request.header("content-type");
  return lower_case(header.substr(0, std::min(header.find_first_of("; \t"), header.size())));
}

std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const unsigned first = byte(0), second = byte(1);
  if (first < 0x80) return 1;
  const std::size_t bytes = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (first < 0xc2 || first > 0xf4) return 0;
  for (std::size_t i = 1; i < bytes; ++i)
    if ((byte(i) & 0xc0U) != 0x80) return 0;
  const bool is_longer_than_need_be =
      (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool is_surrogate = first == 0xed && second > 0x9f,
             is_beyond = first == 0xf4 && second > 0x8f;
  return is_longer_than_need_be || is_surrogate || is_beyond ? 0 : bytes;
}

std::string decoded(std::string_view text) { return decoded_address(text, true); }

std::string_view Request::header(std::string_view name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? std::string_view() : std::string_view(found->second);
}

std::string_view Request::segment(std::size_t index) const {
  return index < path.size() ? std::string_view(path[index]) : std::string_view();
}

void read_target(std::string_view target, Request& request) {
  const std::string scheme = lower_case(target.substr(0, target.find("//")));
  if (scheme == "http:" || scheme == "https:") {  // the absolute form, which proxies send
    target.remove_prefix(std::min(target.find_first_of("/?", scheme.size() + 2), target.size()));
    request.target = target.starts_with('/') ? "" : "/";
  }
  request.target += target;
  target = request.target;
  if (target == "*" && request.method == "OPTIONS") return;
  if (!target.starts_with('/'))
    throw Problem(400, "request", "the address must begin with a slash");
  const std::size_t mark = target.find('?');
  std::string_view path = target.substr(1, mark == target.npos ? target.npos : mark - 1);
  std::string_view query = mark == target.npos ? std::string_view() : target.substr(mark + 1);
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    if (end > 0) request.path.push_back(decoded_address(path.substr(0, end), false));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view pair = query.substr(0, end);
    const std::size_t equals = std::min(pair.find('='), pair.size());
    if (equals > 0)
      request.query[decoded(pair.substr(0, equals))] =
          decoded(pair.substr(std::min(equals + 1, pair.size())));
    query.remove_prefix(std::min(end + 1, query.size()));
  }
}

OpenFile::OpenFile(const std::string& path) : OpenFile(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}

OpenFile::OpenFile(int descriptor) : descriptor_(descriptor) {
  struct stat about {};
  if (descriptor_ < 0 || fstat(descriptor_, &about) != 0)
    throw Problem(404, "not-found", "the bytes no longer exist");
  size_ = static_cast<std::uint64_t>(about.st_size);
}

OpenFile::~OpenFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

std::size_t OpenFile::read(std::string& bytes, std::uint64_t at) const {
  std::size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t count =
        pread(descriptor_, bytes.data() + have, bytes.size() - have, static_cast<off_t>(at + have));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    have += static_cast<std::size_t>(count);
  }
  return have;
}

std::uint64_t BodyPart::length() const {
  const std::uint64_t bytes = file ? file->size() : 0;
  return text.size() + (is_base64 ? (bytes + 2) / 3 * 4 : bytes);
}

std::string BodyPart::read_on(std::uint64_t& at) const {
  // A multiple of three bytes: base64 writes three bytes as four letters, so only the last piece is
  // padded.
  constexpr std::uint64_t kPieceOfFile = std::uint64_t{3} << 14;
  if (!file || at >= file->size()) return {};
  std::string bytes(static_cast<std::size_t>(std::min(kPieceOfFile, file->size() - at)), '\0');
  if (file->read(bytes, at) < bytes.size())
    throw Problem(410, "not-found", "the bytes no longer exist");
  at += bytes.size();
  if (!is_base64) return bytes;
  std::string letters((bytes.size() + 2) / 3 * 4 + 1, '\0');  // with a zero byte
  letters.resize(static_cast<std::size_t>(
      EVP_EncodeBlock(octets(letters), octets(bytes), static_cast<int>(bytes.size()))));
  return letters;
}

Response json_response(const nlohmann::ordered_json& json, unsigned status) {
  Response response;
  response.status = status;
  // Text from files may be invalid UTF-8; invalid bytes are replaced.
  response.body = io::json_line(json);
  response.body += '\n';
  return std::move(response.with("Content-Type", "application/json"));
}

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

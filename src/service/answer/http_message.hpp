#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/report/error.hpp"
#include "io/text/text_fields.hpp"

namespace skde::service {

/// Receives a request body that is too large for memory. Anything it throws becomes the answer. If
/// the connection breaks, the sink is destroyed without commit.
class BodySink {
 public:
  virtual ~BodySink() = default;
  virtual void write(const char* bytes, std::size_t count) = 0;
};

/// A request as the handlers see it.
struct Request {
  std::string method;
  std::string target;             ///< as sent
  std::vector<std::string> path;  ///< decoded segments: {"jobs", "b1"}
  std::map<std::string, std::string, std::less<>> query;
  std::map<std::string, std::string, std::less<>> headers;  ///< names in lower case
  std::string body;                                         ///< if the body is text
  std::shared_ptr<BodySink> sink;                           ///< that received the body otherwise
  std::optional<std::uint64_t> length;                      ///< of the body, if known
  bool has_body = false;
  std::string owner;  ///< name of the token; empty until it is known
  /// Called if the client disconnects before the answer; set by handlers.
  std::shared_ptr<std::function<void()>> gone;

  /// Returns an empty text if the header is missing.
  std::string_view header(std::string_view name) const;
  /// Returns a segment of the path, or an empty text beyond its end.
  std::string_view segment(std::size_t index) const;
};

/// Fills in method, path and query from the target of the request line. Throws Problem (400) if an
/// escape is broken or a segment could be mistaken for a path of files.
void read_target(std::string_view target, Request& request);
/// Decodes escapes (%41); empty if one is broken. `plus_is_blank`: + is a blank.
std::optional<std::string> decoded_escapes(std::string_view text, bool plus_is_blank);
/// Decodes a value of a query: escapes, and + as a blank.
std::string decoded(std::string_view text);
/// Returns the number of bytes of the first character of a text; 0 if it is not valid UTF-8 (RFC
/// 3629).
std::size_t utf8_length(std::string_view text);
using io::lower_case;
/// Decodes base64 (RFC 4648), with or without padding; empty if the text is not valid.
std::optional<std::string> decoded_base64(std::string_view text);
/// Returns the value of a text of digits; empty for any other text.
std::optional<std::uint64_t> whole_number(std::string_view text);
/// Returns the media type of the body in lower case, without its parameters.
std::string media_type_of(const Request& request);

/// An open file, from which pieces are read.
class OpenFile {
 public:
  /// Throws Problem (404) if the file does not exist.
  explicit OpenFile(const std::string& path);
  /// Takes ownership of an open descriptor.
  explicit OpenFile(int descriptor);
  ~OpenFile();
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int descriptor() const { return descriptor_; }
  std::uint64_t size() const { return size_; }
  /// Fills `bytes` from byte `at` on; returns how many there were before the end of the file.
  std::size_t read(std::string& bytes, std::uint64_t at) const;

 private:
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

/// A part of a body: a text, followed by the bytes of a file, which are read while they are sent.
struct BodyPart {
  std::string text;
  std::shared_ptr<const OpenFile> file{};
  bool is_base64 = false;  ///< encoding of the bytes of the file

  std::uint64_t length() const;
  /// Returns the next bytes of the file to send, beginning at byte `at`, and advances `at`. Returns
  /// an empty text at the end. Throws Problem (410) if the file has become shorter.
  std::string read_on(std::uint64_t& at) const;
};

/// Text that is sent piece by piece while the connection lasts.
class EventFeed {
 public:
  virtual ~EventFeed() = default;
  /// Returns the text to send now; empty if there is none yet.
  virtual std::string next() = 0;
  virtual bool ended() const = 0;
  /// Calls `wake` on the thread of the connections once there is more.
  virtual void on_news(std::function<void()> wake) = 0;
};

class PipedBody;  // http/answer_writer.hpp

struct Response {
  unsigned status = 200;
  std::vector<std::pair<std::string, std::string>> headers{};
  std::string body{};
  std::string_view fixed_body{};           ///< instead of body: static bytes
  std::shared_ptr<const OpenFile> file{};  ///< instead of body
  std::uint64_t offset = 0, length = 0;    ///< of the file
  std::vector<BodyPart> parts{};           ///< instead of body
  std::shared_ptr<EventFeed> events{};     ///< instead of body
  std::shared_ptr<PipedBody> piped{};      ///< instead of body
  bool closes = false;                     ///< closes the connection afterwards

  Response& with(std::string name, std::string value) {
    headers.emplace_back(std::move(name), std::move(value));
    return *this;
  }
};

Response json_response(const nlohmann::ordered_json& json, unsigned status = 200);

/// Answers a request, immediately or later, on the thread of the connections.
using Respond = std::function<void(Response)>;

/// What connections call to have requests answered.
class RequestHandler {
 public:
  /// Where the body of a request is stored.
  struct BodyPlace {
    std::uint64_t most_text = 0;  ///< as text, up to this many bytes
    std::shared_ptr<BodySink> sink{};
    std::size_t share = 0;  ///< most connections that the owner may hold; 0: not counted
    /// Headers of the answer if the body cannot be accepted.
    std::vector<std::pair<std::string, std::string>> headers{};
  };
  virtual ~RequestHandler() = default;
  /// Called once the headers are complete. Throws Problem.
  virtual BodyPlace body_place(Request& request) = 0;
  /// Called once the request is complete. Throws Problem, or responds once.
  virtual void handle(Request request, Respond respond) = 0;
};

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

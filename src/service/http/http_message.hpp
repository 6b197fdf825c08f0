#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace skde::service {

/// Where the bytes of a request's body go that are too many for memory. What is thrown becomes the
/// answer; it ends without commit where the connection breaks.
class BodySink {
 public:
  virtual ~BodySink() = default;
  virtual void write(const char* bytes, std::size_t count) = 0;
};

/// A request as handlers see it.
struct Request {
  std::string method;
  std::string target;             ///< as it was sent
  std::vector<std::string> path;  ///< decoded segments: {"jobs", "b1"}
  std::map<std::string, std::string, std::less<>> query;
  std::map<std::string, std::string, std::less<>> headers;  ///< names in small letters
  std::string body;                                         ///< where it is text
  std::shared_ptr<BodySink> sink;                           ///< that took it otherwise
  std::optional<std::uint64_t> length;                      ///< of the body, where it is told
  bool has_body = false;
  std::string owner;  ///< name of the token; empty before it is known
  /// What is to be done where the client goes before it is answered; handlers fill it in.
  std::shared_ptr<std::function<void()>> gone;

  /// Empty where there is none.
  std::string_view header(std::string_view name) const;
  /// At the path, with blanks where it is shorter.
  std::string_view segment(std::size_t index) const;
};

/// Fills method, path and query from what stands in the first line. Throws Problem (400) where an
/// escape is broken or a segment could be taken for a path of files.
void read_target(std::string_view target, Request& request);
/// A value of a query: escapes, and + for a blank.
std::string decoded(std::string_view text);
/// Bytes of the character that a text begins with; 0 where it is none of UTF-8 (RFC 3629).
std::size_t utf8_length(std::string_view text);
/// ASCII letters in lower case.
std::string lower_case(std::string_view text);

/// A piece of a file that is open.
class OpenFile {
 public:
  /// Throws Problem (404) where it is not there.
  explicit OpenFile(const std::string& path);
  /// Of an open descriptor, which it closes.
  explicit OpenFile(int descriptor);
  ~OpenFile();
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int descriptor() const { return descriptor_; }
  std::uint64_t size() const { return size_; }

 private:
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

/// A part of a body: a text, and behind it the bytes of a file, which are read as they are sent.
struct BodyPart {
  std::string text;
  std::shared_ptr<const OpenFile> file{};
  bool is_base64 = false;  ///< how the bytes of the file are written

  std::uint64_t length() const;
  /// What is to be sent of the file from byte `at` on, some of it; moves `at` behind that. Empty at
  /// the end. Throws Problem (410) where the file has become shorter.
  std::string read_on(std::uint64_t& at) const;
};

/// Text that comes bit by bit, as long as the connection lasts.
class EventFeed {
 public:
  virtual ~EventFeed() = default;
  /// What there is to send now; empty: nothing yet.
  virtual std::string next() = 0;
  virtual bool ended() const = 0;
  /// `wake` is called once there is more, on the thread of the connections.
  virtual void on_news(std::function<void()> wake) = 0;
};

struct Response {
  unsigned status = 200;
  std::vector<std::pair<std::string, std::string>> headers{};
  std::string body{};
  std::string_view fixed_body{};           ///< instead, of bytes that always exist
  std::shared_ptr<const OpenFile> file{};  ///< instead
  std::uint64_t offset = 0, length = 0;    ///< of the file
  std::vector<BodyPart> parts{};           ///< instead
  std::shared_ptr<EventFeed> events{};     ///< instead
  bool closes = false;                     ///< the connection ends behind it

  Response& with(std::string name, std::string value) {
    headers.emplace_back(std::move(name), std::move(value));
    return *this;
  }
};

Response json_response(const nlohmann::ordered_json& json, unsigned status = 200);

/// Answers a request, at once or later, on the thread of the connections.
using Respond = std::function<void(Response)>;

/// What connections ask.
class RequestHandler {
 public:
  /// Where a body goes.
  struct BodyPlace {
    std::uint64_t most_text = 0;  ///< as text, up to so many bytes
    std::shared_ptr<BodySink> sink{};
    /// Of the answer where the body cannot be taken.
    std::vector<std::pair<std::string, std::string>> headers{};
  };
  virtual ~RequestHandler() = default;
  /// Once the header is there. Throws Problem.
  virtual BodyPlace body_place(Request& request) = 0;
  /// Once all of it is. Throws Problem, or responds once.
  virtual void handle(Request request, Respond respond) = 0;
};

}  // namespace skde::service

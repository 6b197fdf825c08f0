#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "service/answer/http_message.hpp"
#include "service/answer/service_limits.hpp"
#include "service/http/answer_writer.hpp"
#include "service/http/traffic.hpp"

namespace skde::service {

/// The part of a connection that reads the bodies of requests to where they belong.
class BodyReader {
 public:
  explicit BodyReader(HttpSession& session) : session_(session) {}
  /// Takes the place of the next body; forgets that of the last one.
  void expect(RequestHandler::BodyPlace place);
  const RequestHandler::BodyPlace& place() const { return place_; }
  /// Has the session answer once the body is complete, or refuses it.
  void read();
  /// Throws Problem (413) if a text is longer than it may be.
  void require_room(std::uint64_t bytes) const;
  /// Forgets where the body goes.
  void close() { place_.sink.reset(); }

 private:
  void arm();
  void on_chunk(boost::beast::error_code problem, std::size_t count);
  void read_straight();
  bool take(const char* bytes, std::size_t count);

  HttpSession& session_;
  RequestHandler::BodyPlace place_;
  std::uint64_t left_ = 0;  ///< bytes still to be read without the parser
  std::vector<char> piece_;
  bool is_timed_ = false;  ///< the body has begun
};

/// Returns the answer to what is not a request of HTTP/1.1.
Response malformed(unsigned status, const char* detail);

/// What all connections share.
struct HttpSetting {
  RequestHandler& handler;
  const ServiceLimits& limits;
  Traffic& traffic;
};

/// A connection: reads requests one after the other, has them answered, and writes the answers. All
/// of this runs on the thread of the io_context.
class HttpSession : public std::enable_shared_from_this<HttpSession> {
 public:
  using Socket = boost::asio::ip::tcp::socket;
  HttpSession(Socket socket, const HttpSetting& setting);
  ~HttpSession();
  void start();
  /// Sends only this answer, then ends.
  void refuse(Response response);
  /// How useful a connection has been since a point in time; the least useful one, listed first,
  /// makes room for others. unknown: no valid token, no complete request; busy: no valid token, but
  /// it is being answered; known: a valid token, no request; none: any other.
  enum class Idleness { unknown, busy, known, none };
  Idleness idleness(std::chrono::steady_clock::time_point time) const;
  /// Returns true while a request is being read or answered, except by a stream of events.
  bool works() const { return activity_.works && answer_.state() != AnswerWriter::State::streams; }
  /// Makes the current request the last one.
  void wind_up();
  void end_stream() { answer_.end_stream(); }
  void end();

 private:
  friend class AnswerWriter;
  friend class BodyReader;
  using ErrorCode = boost::beast::error_code;
  using Parser = boost::beast::http::request_parser<boost::beast::http::buffer_body>;
  struct Activity {
    bool waits = false;      ///< for the first byte of a request
    bool works = false;      ///< from the headers of a request to the end of its answer
    std::uint64_t turn = 0;  ///< number of the request
    std::chrono::steady_clock::time_point born = std::chrono::steady_clock::now();
    std::chrono::steady_clock::time_point since = born;  ///< began to wait, or to read this
  };

  void arm(std::chrono::milliseconds time);
  void count_for(const std::string& owner, std::size_t share);
  void receive();
  void skip_line_ends();
  void wait_for_request();
  void read_header();
  void on_header();
  void refuse_body();
  void answer();
  void expect_end();
  void look_for_end();

  Socket socket_;
  boost::asio::steady_timer deadline_;
  const HttpSetting setting_;
  boost::beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  Request request_;
  BodyReader body_;
  AnswerWriter answer_;
  Activity activity_;
  std::string owner_;  ///< in whose share it counts; empty without a valid token
  std::shared_ptr<std::function<void()>> gone_;
};

}  // namespace skde::service

#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "service/answer/http_message.hpp"
#include "service/answer/service_limits.hpp"
#include "service/http/traffic.hpp"

namespace skde::service {

/// A connection: reads requests one after the other, has them answered, and writes the answers. All
/// of this runs on the thread of the io_context.
class HttpSession : public std::enable_shared_from_this<HttpSession> {
 public:
  using Socket = boost::asio::ip::tcp::socket;
  HttpSession(Socket socket, RequestHandler& handler, const ServiceLimits& limits,
              Traffic& traffic);
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
  bool works() const { return works_ && !streams_; }
  /// Makes the current request the last one.
  void wind_up();
  /// Sends the events that are pending, and ends the stream.
  void end_stream();
  void end();

 private:
  using ErrorCode = boost::beast::error_code;
  using Parser = boost::beast::http::request_parser<boost::beast::http::buffer_body>;

  void arm(std::chrono::milliseconds time);
  void count_for(const std::string& owner, std::size_t share);
  void receive();
  void skip_line_ends();
  void arm_for_body();
  void wait_for_request();
  void read_header();
  void on_header();
  void read_body();
  void on_body(ErrorCode problem, std::size_t count);
  void read_straight();
  bool take_text(const char* bytes, std::size_t count);
  void refuse_body();
  void answer();
  void expect_end();
  void look_for_end();
  void fail(unsigned status, const char* detail);
  void respond(Response response);
  void count(std::size_t sent);
  void note_request();
  void log();
  void write_head();
  void after_head();
  void send_file();
  void send_parts();
  void finish();
  void linger();
  void drain();
  void watch();
  void send_events();
  void expect_keep_alive();

  Socket socket_;
  boost::asio::steady_timer deadline_;
  RequestHandler& handler_;
  const ServiceLimits& limits_;
  Traffic& traffic_;
  boost::beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  Request request_;
  AccessEntry access_;
  RequestHandler::BodyPlace place_;
  std::uint64_t left_ = 0;  ///< bytes of the body still to be read without the parser
  std::vector<char> piece_;
  bool keeps_alive_ = true, head_only_ = false, answered_ = false;
  bool waits_ = false;     ///< for the first byte of a request
  bool works_ = false;     ///< from the headers of a request to the end of its answer
  bool streams_ = false;   ///< sends events
  bool watches_ = false;   ///< is counted as a watcher
  bool is_timed_ = false;  ///< the body has begun
  bool lingers_ = false;   ///< has sent its last answer
  bool is_old_ = false;    ///< HTTP/1.0, which has to be told that the connection stays open
  std::string owner_;      ///< in whose share it counts; empty without a valid token
  const std::chrono::steady_clock::time_point born_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point since_ = born_;  ///< began to wait, or to read this
  std::uint64_t turn_ = 0;                               ///< number of the request
  std::shared_ptr<std::function<void()>> gone_;
  Response response_;
  std::string head_;
  std::size_t part_ = 0;  ///< index of the part that is being sent
  std::uint64_t sent_of_part_ = 0;
  std::string piece_text_;
  std::string events_text_;
  bool sending_ = false;
  std::unique_ptr<boost::asio::steady_timer> comment_;
};

}  // namespace skde::service

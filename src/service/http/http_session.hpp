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

#include "service/http/http_message.hpp"
#include "service/http/traffic.hpp"
#include "service/service_limits.hpp"

namespace skde::service {

/// A connection: reads one request after the other, has it answered, and writes the answer. All of
/// it happens on the thread of the io_context.
class HttpSession : public std::enable_shared_from_this<HttpSession> {
 public:
  using Socket = boost::asio::ip::tcp::socket;
  HttpSession(Socket socket, RequestHandler& handler, const ServiceLimits& limits,
              Traffic& traffic);
  ~HttpSession();
  void start();
  /// Answers this alone, and ends.
  void refuse(Response response);
  /// How a connection has been since some time, where others come, the least useful first: one that
  /// never showed a token sent no request, or not all of its headers; it is being answered; one
  /// that did sent none; none of these.
  enum class Idleness { unknown, busy, known, none };
  Idleness idleness(std::chrono::steady_clock::time_point time) const;
  /// A request is being read or answered, unless by a stream of events.
  bool works() const { return works_ && !streams_; }
  /// The request in work is the last one.
  void wind_up();
  /// Sends what there is of a stream of events, and ends it.
  void end_stream();
  void end();

 private:
  using ErrorCode = boost::beast::error_code;
  using Parser = boost::beast::http::request_parser<boost::beast::http::buffer_body>;

  void arm(std::chrono::milliseconds time);
  void arm_for_body();
  void wait_for_request();
  void read_header();
  void on_header();
  void read_body();
  void on_body(ErrorCode problem, std::size_t count);
  void read_straight();
  void take_text(const char* bytes, std::size_t count);
  void refuse_body();
  void answer();
  void expect_end();
  void look_for_end();
  void fail(unsigned status, const char* detail);
  void respond(Response response);
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
  RequestHandler::BodyPlace place_;
  std::uint64_t left_ = 0;  ///< bytes of the body that are still to be read straight
  std::vector<char> piece_;
  bool keeps_alive_ = true, head_only_ = false, answered_ = false;
  bool waits_ = false;     ///< for the first byte of a request
  bool works_ = false;     ///< from the headers of a request to the end of its answer
  bool streams_ = false;   ///< events
  bool watches_ = false;   ///< is counted among those who do
  bool is_timed_ = false;  ///< the body has begun
  bool has_token_ = false;
  const std::chrono::steady_clock::time_point born_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point since_ = born_;  ///< that it waits, or reads this request
  std::uint64_t turn_ = 0;                               ///< number of the request
  std::shared_ptr<std::function<void()>> gone_;
  Response response_;
  std::string head_;
  std::size_t part_ = 0;  ///< of the body, that is being sent
  std::uint64_t sent_of_part_ = 0;
  std::string piece_text_;
  std::string events_text_;
  bool sending_ = false;
  std::unique_ptr<boost::asio::steady_timer> comment_;
};

}  // namespace skde::service

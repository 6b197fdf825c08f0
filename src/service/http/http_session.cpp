#include "service/http/http_session.hpp"

#include <fmt/core.h>
#include <poll.h>

#include <algorithm>
#include <boost/asio/write.hpp>
#include <boost/beast/http/read.hpp>
#include <chrono>
#include <limits>
#include <utility>

#include "service/answer/http_problem.hpp"
#include "service/http/memory_reserve.hpp"

namespace skde::service {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;

constexpr std::size_t kPiece = std::size_t{1} << 20;
/// Most bytes that the parser holds: the headers, or a line of a chunked body with its extensions.
constexpr std::size_t kMostHeld = std::size_t{64} << 10;
constexpr std::size_t kFirstPiece = std::size_t{16} << 10;
/// How often to check that a client which has sent more than its request is still there.
constexpr std::chrono::milliseconds kLook{500};

/// Every reader must agree on where a message ends (RFC 9112, sections 3.2 and 6). Throws Problem
/// (400, 501) otherwise.
template <typename Message>
void require_clear_framing(const Message& message) {
  const auto count = [&](http::field name) { return message.count(name); };
  if (const auto codings = count(http::field::transfer_encoding); codings > 0) {
    const std::string coding(message[http::field::transfer_encoding]);
    if (codings > 1 || lower_case(coding) != "chunked")
      throw Problem(501, "request", "the transfer coding must be 'chunked', given once");
    if (message.version() < 11 || count(http::field::content_length) > 0)
      throw Problem(400, "request",
                    "the body must have one length, or a transfer coding of HTTP/1.1");
  }
  const auto lengths = message[http::field::content_length];
  if (count(http::field::content_length) > 1 || lengths.find(',') != lengths.npos)
    throw Problem(400, "request", "the body must have one length");
  if (const auto hosts = count(http::field::host);
      hosts > 1 || (hosts == 0 && message.version() >= 11))
    throw Problem(400, "request", "a request must have one Host header");
  const std::string_view host(message[http::field::host].data(), message[http::field::host].size());
  if (host.find_first_of(" \t\"/\\<>?#@") != host.npos)
    throw Problem(400, "request", "the Host header must be a name with an optional port");
}

/// Converts the exception of a handler to an answer.
Response answer_to(const std::exception_ptr& thrown) { return Problem::of(thrown).response(); }

}  // namespace

HttpSession::HttpSession(Socket socket, RequestHandler& handler, const ServiceLimits& limits,
                         Traffic& traffic)
    : socket_(std::move(socket)),
      deadline_(socket_.get_executor()),
      handler_(handler),
      limits_(limits),
      traffic_(traffic),
      buffer_(kMostHeld) {
  traffic_.sessions.insert(this);
  ++traffic_.connections;
}

HttpSession::~HttpSession() {
  count_for({}, 0);
  traffic_.sessions.erase(this);
  --traffic_.connections;
  if (watches_) --traffic_.watchers;
}

void HttpSession::start() {
  ErrorCode ignored;
  socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
  wait_for_request();
}

void HttpSession::refuse(Response response) {
  keeps_alive_ = false;
  arm(limits_.header_time);
  respond(std::move(response));
}

/// Ends the connection unless this is called again in time.
void HttpSession::arm(std::chrono::milliseconds time) {
  deadline_.expires_after(time);
  deadline_.async_wait([weak = weak_from_this()](ErrorCode problem) {
    const auto self = weak.lock();
    if (!problem && self && self->deadline_.expiry() <= std::chrono::steady_clock::now())
      self->end();
  });
}

/// Counts the connection in the share of its owner. If it is full, one that waits for a request
/// makes room. Throws Problem (503) if there is none.
void HttpSession::count_for(const std::string& owner, std::size_t share) {
  if (owner == owner_) return;
  if (!owner.empty() && traffic_.held[owner] >= share) {
    const auto idle = std::ranges::find_if(traffic_.sessions, [&](const HttpSession* other) {
      return other->waits_ && other->owner_ == owner;
    });
    if (idle == traffic_.sessions.end()) {
      keeps_alive_ = false;
      throw Problem(503, "busy",
                    fmt::format("this token has {} connections, its share; try again later", share))
          .with("Retry-After", "1");
    }
    (*idle)->end();
  }
  if (const auto before = traffic_.held.find(owner_); before != traffic_.held.end())
    if (--before->second == 0) traffic_.held.erase(before);
  owner_ = owner;
  if (!owner.empty()) ++traffic_.held[owner];
}

void HttpSession::end() {
  log();
  count_for({}, 0);
  works_ = waits_ = false;
  deadline_.cancel();
  if (comment_) comment_->cancel();
  ErrorCode ignored;
  socket_.shutdown(Socket::shutdown_both, ignored);
  socket_.close(ignored);
  request_.sink.reset();
  place_.sink.reset();
}

HttpSession::Idleness HttpSession::idleness(std::chrono::steady_clock::time_point time) const {
  if (lingers_) return Idleness::unknown;
  const bool has_token = !owner_.empty();
  if (!works_ && since_ <= time) return has_token ? Idleness::known : Idleness::unknown;
  return has_token || born_ > time ? Idleness::none : Idleness::busy;
}

void HttpSession::wind_up() {
  keeps_alive_ = false;
  if (waits_) end();
}

void HttpSession::end_stream() {
  if (!response_.events || !streams_) return;
  streams_ = false;
  send_events();
}

void HttpSession::wait_for_request() {
  works_ = false;
  skip_line_ends();
  if (buffer_.size() > 0) return read_header();
  waits_ = true;
  since_ = std::chrono::steady_clock::now();
  arm(limits_.idle_time);
  receive();
}

/// Waits for the first byte of a request; line ends before it are skipped (RFC 9112, section 2.2).
void HttpSession::receive() {
  socket_.async_wait(Socket::wait_read, [self = shared_from_this()](ErrorCode problem) {
    if (problem) return;
    const std::size_t there = std::min(self->socket_.available(problem), kFirstPiece);
    if (problem || there == 0) return self->end();
    self->buffer_.commit(self->socket_.read_some(self->buffer_.prepare(there), problem));
    if (problem) return self->end();
    self->skip_line_ends();
    self->buffer_.size() > 0 ? self->read_header() : self->receive();
  });
}

void HttpSession::skip_line_ends() {
  const std::string_view there(static_cast<const char*>(buffer_.data().data()), buffer_.size());
  buffer_.consume(std::min(there.find_first_not_of("\r\n"), there.size()));
}

void HttpSession::read_header() {
  waits_ = false;
  since_ = std::chrono::steady_clock::now();
  ++turn_;
  arm(limits_.header_time);
  parser_.emplace();
  parser_->header_limit(static_cast<std::uint32_t>(limits_.header_bytes));
  parser_->body_limit(std::numeric_limits<std::uint64_t>::max());  // the handlers set the limit
  request_ = {};
  access_ = {};
  is_timed_ = false;
  place_ = {};
  response_ = {};
  answered_ = false;
  http::async_read_header(
      socket_, buffer_, *parser_,
      [self = shared_from_this()](ErrorCode problem, std::size_t count) {
        self->traffic_.bytes_in += count;
        if (problem == http::error::header_limit)
          return self->fail(431, "the headers are too long");
        if (problem == http::error::end_of_stream || !self->socket_.is_open()) return self->end();
        if (problem == http::error::bad_transfer_encoding)
          return self->fail(501, "the transfer coding must be 'chunked', given once");
        if (problem.category() == http::make_error_code(http::error::bad_method).category())
          return self->fail(400, "this is not a request of HTTP/1.1");
        if (problem) return self->end();
        self->on_header();
      });
}

void HttpSession::on_header() {
  ++traffic_.requests;
  works_ = true;
  const auto& message = parser_->get();
  keeps_alive_ = message.keep_alive() && !traffic_.is_ending;
  is_old_ = message.version() < 11;
  head_only_ = message.method() == http::verb::head;
  try {
    require_clear_framing(message);
  } catch (...) {
    keeps_alive_ = false;
    return respond(answer_to(std::current_exception()));
  }
  try {
    request_.method = std::string(message.method_string());
    for (const auto& field : message) {
      std::string& value = request_.headers[lower_case(std::string(field.name_string()))];
      if (!value.empty()) value += ", ";
      value += std::string(field.value());
    }
    if (parser_->content_length()) request_.length = *parser_->content_length();
    request_.has_body = parser_->chunked() || request_.length.value_or(0) > 0;
    read_target(std::string(message.target()), request_);
    place_ = handler_.body_place(request_);
    if (place_.share > 0) count_for(request_.owner, place_.share);
    note_request();
    if (request_.length && !place_.sink && *request_.length > place_.most_text)
      throw Problem(413, "limit",
                    fmt::format("the body must have at most {} bytes", place_.most_text));
  } catch (...) {
    note_request();
    keeps_alive_ = keeps_alive_ && !request_.has_body;  // its bytes will not be read
    return refuse_body();
  }
  request_.sink = place_.sink;
  if (!request_.has_body) return answer();
  if (message.version() < 11 || lower_case(request_.header("expect")) != "100-continue")
    return read_body();
  head_ = "HTTP/1.1 100 Continue\r\n\r\n";
  asio::async_write(socket_, asio::buffer(head_),
                    [self = shared_from_this()](ErrorCode problem, std::size_t) {
                      if (problem) return self->end();
                      self->read_body();
                    });
}

/// Keeps what the log tells, as the handlers get the request.
void HttpSession::note_request() {
  access_.owner = request_.owner;
  access_.method = request_.method;
  access_.path = request_.target.substr(0, request_.target.find('?'));
  if (request_.segment(0) == "jobs") access_.job = request_.segment(1);
}

/// Reads a body of known length in large pieces, without the parser.
void HttpSession::read_body() {
  arm_for_body();
  if (piece_.size() < kPiece) piece_.resize(place_.sink ? kPiece : std::size_t{16} << 10);
  if (request_.length && !parser_->chunked()) {
    left_ = *request_.length;
    const std::size_t there =
        static_cast<std::size_t>(std::min<std::uint64_t>(left_, buffer_.size()));
    if (!take_text(static_cast<const char*>(buffer_.data().data()), there)) return;
    buffer_.consume(there);
    left_ -= there;
    return read_straight();
  }
  parser_->get().body().data = piece_.data();
  parser_->get().body().size = piece_.size();
  http::async_read_some(socket_, buffer_, *parser_,
                        [self = shared_from_this()](ErrorCode problem, std::size_t count) {
                          self->on_body(problem, count);
                        });
}

void HttpSession::on_body(ErrorCode problem, std::size_t count) {
  traffic_.bytes_in += count;
  if (problem == http::error::need_buffer) problem = {};
  if (problem == http::error::buffer_overflow)
    return fail(400, "a line of the chunked body is too long");
  if (problem.category() == http::make_error_code(http::error::bad_chunk).category() &&
      problem != http::error::partial_message)
    return fail(400, "the chunks of the body are malformed");
  if (problem) return end();
  if (!take_text(piece_.data(), piece_.size() - parser_->get().body().size)) return;
  if (parser_->is_done()) return answer();
  read_body();
}

/// A body that goes to a file may take any time as long as bytes keep coming; for a text, the total
/// time is limited.
void HttpSession::arm_for_body() {
  if (place_.sink || !is_timed_) arm(limits_.body_time);
  is_timed_ = true;
}

void HttpSession::read_straight() {
  if (left_ == 0) return answer();
  arm_for_body();
  const std::size_t most = static_cast<std::size_t>(std::min<std::uint64_t>(left_, piece_.size()));
  socket_.async_read_some(asio::buffer(piece_.data(), most),
                          [self = shared_from_this()](ErrorCode problem, std::size_t count) {
                            if (problem) return self->end();
                            self->traffic_.bytes_in += count;
                            if (!self->take_text(self->piece_.data(), count)) return;
                            self->left_ -= count;
                            self->read_straight();
                          });
}

/// Takes a part of the body, or refuses it and returns false.
bool HttpSession::take_text(const char* bytes, std::size_t count) try {
  if (!place_.sink && request_.body.size() + count > place_.most_text)
    throw Problem(413, "limit",
                  fmt::format("the body must have at most {} bytes", place_.most_text));
  place_.sink ? place_.sink->write(bytes, count) : void(request_.body.append(bytes, count));
  return true;
} catch (...) {
  keeps_alive_ = false;
  refuse_body();
  return false;
}

/// Answers with the exception in flight.
void HttpSession::refuse_body() {
  Response response = answer_to(std::current_exception());
  for (const auto& [name, value] : place_.headers) response.with(name, value);
  respond(std::move(response));
}

void HttpSession::answer() {
  deadline_.cancel();
  place_.sink.reset();
  gone_ = request_.gone = std::make_shared<std::function<void()>>();
  // While the answer is pending, only two things keep the connection alive: the pending answer, and
  // the wait for the client's end.
  try {
    if (!refill_memory_reserve() && request_.has_body) throw std::bad_alloc();
    handler_.handle(std::move(request_), [self = shared_from_this()](Response response) {
      self->respond(std::move(response));
    });
  } catch (...) {
    respond(answer_to(std::current_exception()));
  }
  if (!answered_ && *gone_) expect_end();
}

void HttpSession::expect_end() {
  socket_.async_wait(Socket::wait_read,
                     [self = shared_from_this(), turn = turn_](ErrorCode problem) {
                       if (!problem && turn == self->turn_) self->look_for_end();
                     });
}

/// A client that closes the connection, or its own side of it, while it waits wants no answer.
void HttpSession::look_for_end() {
  if (answered_ || !socket_.is_open()) return;
  pollfd about{socket_.native_handle(), POLLRDHUP, 0};
  if (poll(&about, 1, 0) > 0) {
    if (const auto gone = std::exchange(*gone_, nullptr)) gone();
    return;
  }
  // The bytes belong to the next request, which is read once this one is answered.
  deadline_.expires_after(kLook);
  deadline_.async_wait([weak = weak_from_this(), turn = turn_](ErrorCode problem) {
    const auto self = weak.lock();
    if (!problem && self && turn == self->turn_) self->look_for_end();
  });
}

void HttpSession::fail(unsigned status, const char* detail) {
  keeps_alive_ = false;
  respond(Problem(status, "request", detail).response());
}

}  // namespace skde::service

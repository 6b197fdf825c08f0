#include "service/http_session.hpp"

#include <fmt/format.h>
#include <sys/sendfile.h>

#include <algorithm>
#include <boost/asio/write.hpp>
#include <boost/beast/http/read.hpp>
#include <limits>
#include <utility>

#include "service/http_problem.hpp"

namespace skde::service {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;

constexpr std::size_t kPiece = std::size_t{1} << 20;
constexpr std::chrono::milliseconds kLinger{2000};
/// More would let one download hold the others up.
constexpr std::uint64_t kSendAtOnce = std::uint64_t{4} << 20;

/// What a handler threw, as an answer.
Response answer_to(const std::exception_ptr& thrown) { return Problem::of(thrown).response(); }

}  // namespace

HttpSession::HttpSession(Socket socket, RequestHandler& handler, const ServiceLimits& limits,
                         Traffic& traffic)
    : socket_(std::move(socket)),
      deadline_(socket_.get_executor()),
      handler_(handler),
      limits_(limits),
      traffic_(traffic) {
  ++traffic_.connections;
}

HttpSession::~HttpSession() {
  --traffic_.connections;
  if (response_.events) --traffic_.watchers;
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

void HttpSession::end() {
  deadline_.cancel();
  if (comment_) comment_->cancel();
  ErrorCode ignored;
  socket_.shutdown(Socket::shutdown_both, ignored);
  socket_.close(ignored);
  request_.sink.reset();
  place_.sink.reset();
}

void HttpSession::wait_for_request() {
  if (buffer_.size() > 0) return read_header();
  arm(limits_.idle_time);
  socket_.async_wait(Socket::wait_read, [self = shared_from_this()](ErrorCode problem) {
    if (!problem) self->read_header();
  });
}

void HttpSession::read_header() {
  arm(limits_.header_time);
  parser_.emplace();
  parser_->header_limit(static_cast<std::uint32_t>(limits_.header_bytes));
  parser_->body_limit(
      std::numeric_limits<std::uint64_t>::max());  // handlers say how much they take
  request_ = {};
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
        if (problem.category() == http::make_error_code(http::error::bad_method).category())
          return self->fail(400, "this is no request of HTTP/1.1");
        if (problem) return self->end();
        self->on_header();
      });
}

void HttpSession::on_header() {
  ++traffic_.requests;
  const auto& message = parser_->get();
  keeps_alive_ = message.keep_alive();
  head_only_ = message.method() == http::verb::head;
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
    if (request_.length && !place_.sink && *request_.length > place_.most_text)
      throw Problem(413, "limit",
                    fmt::format("the body is longer than {} bytes", place_.most_text));
  } catch (...) {
    keeps_alive_ = keeps_alive_ && !request_.has_body;  // whose bytes nobody will read
    return respond(answer_to(std::current_exception()));
  }
  request_.sink = place_.sink;
  if (!request_.has_body) return answer();
  if (lower_case(request_.header("expect")) != "100-continue") return read_body();
  head_ = "HTTP/1.1 100 Continue\r\n\r\n";
  asio::async_write(socket_, asio::buffer(head_),
                    [self = shared_from_this()](ErrorCode problem, std::size_t) {
                      if (problem) return self->end();
                      self->read_body();
                    });
}

/// A body of known length is read past the parser, in large pieces.
void HttpSession::read_body() {
  arm(limits_.body_time);
  if (piece_.size() < kPiece) piece_.resize(place_.sink ? kPiece : std::size_t{16} << 10);
  if (request_.length && !parser_->chunked()) {
    left_ = *request_.length;
    const std::size_t there =
        static_cast<std::size_t>(std::min<std::uint64_t>(left_, buffer_.size()));
    try {
      take_text(static_cast<const char*>(buffer_.data().data()), there);
    } catch (...) {
      keeps_alive_ = false;
      return respond(answer_to(std::current_exception()));
    }
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
  if (problem) return end();
  try {
    take_text(piece_.data(), piece_.size() - parser_->get().body().size);
  } catch (...) {
    keeps_alive_ = false;
    return respond(answer_to(std::current_exception()));
  }
  if (parser_->is_done()) return answer();
  read_body();
}

void HttpSession::read_straight() {
  if (left_ == 0) return answer();
  arm(limits_.body_time);
  const std::size_t most = static_cast<std::size_t>(std::min<std::uint64_t>(left_, piece_.size()));
  socket_.async_read_some(asio::buffer(piece_.data(), most),
                          [self = shared_from_this()](ErrorCode problem, std::size_t count) {
                            if (problem) return self->end();
                            self->traffic_.bytes_in += count;
                            try {
                              self->take_text(self->piece_.data(), count);
                            } catch (...) {
                              self->keeps_alive_ = false;
                              return self->respond(answer_to(std::current_exception()));
                            }
                            self->left_ -= count;
                            self->read_straight();
                          });
}

void HttpSession::take_text(const char* bytes, std::size_t count) {
  if (place_.sink) return place_.sink->write(bytes, count);
  if (request_.body.size() + count > place_.most_text)
    throw Problem(413, "limit", fmt::format("the body is longer than {} bytes", place_.most_text));
  request_.body.append(bytes, count);
}

void HttpSession::answer() {
  deadline_.cancel();
  place_.sink.reset();
  // While an answer is awaited, nothing but it keeps the connection.
  try {
    handler_.handle(std::move(request_), [self = shared_from_this()](Response response) {
      self->respond(std::move(response));
    });
  } catch (...) {
    respond(answer_to(std::current_exception()));
  }
}

void HttpSession::fail(unsigned status, const char* detail) {
  keeps_alive_ = false;
  respond(Problem(status, "request", detail).response());
}

void HttpSession::respond(Response response) {
  if (std::exchange(answered_, true) || !socket_.is_open()) return;
  response_ = std::move(response);
  if (response_.closes) keeps_alive_ = false;
  write_head();
}

void HttpSession::write_head() {
  const Response& r = response_;
  head_ = fmt::format("HTTP/1.1 {} {}\r\n", r.status, reason_of(r.status));
  for (const auto& [name, value] : r.headers) {
    if (value.find_first_of("\r\n") != value.npos) continue;  // no header ends early
    head_.append(name).append(": ").append(value).append("\r\n");
  }
  const std::uint64_t length = r.file ? r.length : r.body.size() + r.fixed_body.size();
  if (r.events)
    keeps_alive_ = false;
  else if (r.status != 204 && r.status != 304)
    head_ += fmt::format("Content-Length: {}\r\n", length);
  head_ += keeps_alive_ ? "\r\n" : "Connection: close\r\n\r\n";
  arm(limits_.body_time);
  std::vector<asio::const_buffer> parts{asio::buffer(head_)};
  if (!head_only_ && r.status != 304 && !r.file) {
    parts.push_back(asio::buffer(r.body));
    parts.push_back(asio::buffer(r.fixed_body.data(), r.fixed_body.size()));
  }
  asio::async_write(socket_, parts,
                    [self = shared_from_this()](ErrorCode problem, std::size_t count) {
                      self->traffic_.bytes_out += count;
                      if (problem) return self->end();
                      self->after_head();
                    });
}

void HttpSession::after_head() {
  if (response_.events && !head_only_) return watch();
  if (response_.file && !head_only_ && response_.length > 0) return send_file();
  finish();
}

/// From the page cache to the socket, as far as that takes it.
void HttpSession::send_file() {
  ErrorCode problem;
  socket_.native_non_blocking(true, problem);
  std::uint64_t sent = 0;
  while (response_.length > 0 && sent < kSendAtOnce) {
    auto offset = static_cast<off_t>(response_.offset);
    const ssize_t count =
        sendfile(socket_.native_handle(), response_.file->descriptor(), &offset,
                 static_cast<std::size_t>(std::min(response_.length, kSendAtOnce)));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) break;
    if (count <= 0) return end();  // the other side is gone, or the file is shorter than it was
    response_.offset += static_cast<std::uint64_t>(count);
    response_.length -= static_cast<std::uint64_t>(count);
    sent += static_cast<std::uint64_t>(count);
  }
  traffic_.bytes_out += sent;
  if (response_.length == 0) return finish();
  if (sent > 0) arm(limits_.body_time);
  socket_.async_wait(Socket::wait_write, [self = shared_from_this()](ErrorCode failed) {
    if (failed) return self->end();
    self->send_file();
  });
}

void HttpSession::finish() {
  response_.file.reset();
  response_.body.clear();
  if (!keeps_alive_) return linger();
  wait_for_request();
}

/// What the other side is still sending is read for a while: closed at once, the connection would
/// be reset, and the answer lost on its way.
void HttpSession::linger() {
  ErrorCode ignored;
  socket_.shutdown(Socket::shutdown_send, ignored);
  arm(kLinger);
  drain();
}

void HttpSession::drain() {
  piece_.resize(std::max(piece_.size(), std::size_t{16} << 10));
  socket_.async_read_some(asio::buffer(piece_),
                          [self = shared_from_this()](ErrorCode problem, std::size_t) {
                            if (problem) return self->end();
                            self->drain();
                          });
}

/// Until the feed or the connection ends.
void HttpSession::watch() {
  ++traffic_.watchers;
  deadline_.cancel();
  piece_ = {};
  response_.events->on_news([weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->send_events();
  });
  // Nothing is expected to come; what does is the end.
  socket_.async_wait(Socket::wait_read, [self = shared_from_this()](ErrorCode) { self->end(); });
  expect_keep_alive();
  send_events();
}

void HttpSession::expect_keep_alive() {
  if (!comment_) comment_ = std::make_unique<asio::steady_timer>(socket_.get_executor());
  comment_->expires_after(limits_.keep_alive);
  comment_->async_wait([weak = weak_from_this()](ErrorCode problem) {
    const auto self = weak.lock();
    if (problem || !self || !self->socket_.is_open()) return;
    if (!self->sending_) {
      self->events_text_ = ": keep-alive\n\n";
      self->send_events();
    }
    self->expect_keep_alive();
  });
}

void HttpSession::send_events() {
  if (sending_ || !socket_.is_open()) return;
  events_text_ += response_.events->next();
  if (events_text_.empty()) {
    if (response_.events->ended()) end();
    return;
  }
  sending_ = true;
  arm(limits_.body_time);
  asio::async_write(socket_, asio::buffer(events_text_),
                    [self = shared_from_this()](ErrorCode problem, std::size_t count) {
                      self->traffic_.bytes_out += count;
                      self->sending_ = false;
                      self->events_text_.clear();
                      if (problem) return self->end();
                      self->deadline_.cancel();
                      self->send_events();
                    });
}

}  // namespace skde::service

#include "service/http/http_session.hpp"

#include <fmt/core.h>
#include <poll.h>

#include <algorithm>
#include <boost/asio/write.hpp>
#include <boost/beast/http/read.hpp>
#include <limits>
#include <utility>

#include "service/http/listener.hpp"

namespace skde::service {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;

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

namespace asio = boost::asio;
namespace http = boost::beast::http;
using ErrorCode = boost::beast::error_code;

constexpr std::size_t kPiece = std::size_t{1} << 20;

}  // namespace

Response malformed(unsigned status, const char* detail) {
  return Problem(status, "request", detail).response();
}

HttpSession::HttpSession(Socket socket, const HttpSetting& setting)
    : socket_(std::move(socket)),
      deadline_(socket_.get_executor()),
      setting_(setting),
      buffer_(kMostHeld),
      body_(*this),
      answer_(*this) {
  setting_.traffic.sessions.insert(this);
  ++setting_.traffic.connections;
}

HttpSession::~HttpSession() {
  count_for({}, 0);
  setting_.traffic.sessions.erase(this);
  --setting_.traffic.connections;
}

void HttpSession::start() {
  ErrorCode ignored;
  socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
  wait_for_request();
}

void HttpSession::refuse(Response response) {
  answer_.mode().keeps_alive = false;
  arm(setting_.limits.header_time);
  answer_.respond(std::move(response));
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
  if (!owner.empty() && setting_.traffic.held[owner] >= share) {
    const auto idle = std::ranges::find_if(
        setting_.traffic.sessions,
        [&](const HttpSession* other) { return other->activity_.waits && other->owner_ == owner; });
    if (idle == setting_.traffic.sessions.end()) {
      answer_.mode().keeps_alive = false;
      throw Problem(503, "busy",
                    fmt::format("this token has {} connections, its share; try again later", share))
          .with("Retry-After", "1");
    }
    (*idle)->end();
  }
  if (const auto before = setting_.traffic.held.find(owner_); before != setting_.traffic.held.end())
    if (--before->second == 0) setting_.traffic.held.erase(before);
  owner_ = owner;
  if (!owner.empty()) ++setting_.traffic.held[owner];
}

void HttpSession::end() {
  answer_.stop();
  count_for({}, 0);
  activity_.works = activity_.waits = false;
  deadline_.cancel();
  ErrorCode ignored;
  socket_.shutdown(Socket::shutdown_both, ignored);
  socket_.close(ignored);
  request_.sink.reset();
  body_.close();
}

HttpSession::Idleness HttpSession::idleness(std::chrono::steady_clock::time_point time) const {
  if (answer_.state() == AnswerWriter::State::lingers) return Idleness::unknown;
  const bool has_token = !owner_.empty();
  if (!activity_.works && activity_.since <= time)
    return has_token ? Idleness::known : Idleness::unknown;
  return has_token || activity_.born > time ? Idleness::none : Idleness::busy;
}

void HttpSession::wind_up() {
  answer_.mode().keeps_alive = false;
  if (activity_.waits) end();
}

void HttpSession::wait_for_request() {
  activity_.works = false;
  skip_line_ends();
  if (buffer_.size() > 0) return read_header();
  activity_.waits = true;
  activity_.since = std::chrono::steady_clock::now();
  arm(setting_.limits.idle_time);
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
  activity_.waits = false;
  activity_.since = std::chrono::steady_clock::now();
  ++activity_.turn;
  arm(setting_.limits.header_time);
  parser_.emplace();
  parser_->header_limit(static_cast<std::uint32_t>(setting_.limits.header_bytes));
  parser_->body_limit(std::numeric_limits<std::uint64_t>::max());  // the handlers set the limit
  request_ = {};
  answer_.expect();
  body_.expect({});
  http::async_read_header(
      socket_, buffer_, *parser_,
      [self = shared_from_this()](ErrorCode problem, std::size_t count) {
        self->setting_.traffic.bytes_in += count;
        if (problem == http::error::header_limit)
          return self->refuse(malformed(431, "the headers are too long"));
        if (problem == http::error::end_of_stream || !self->socket_.is_open()) return self->end();
        if (problem == http::error::bad_transfer_encoding)
          return self->refuse(malformed(501, "the transfer coding must be 'chunked', given once"));
        if (problem.category() == http::make_error_code(http::error::bad_method).category())
          return self->refuse(malformed(400, "this is not a request of HTTP/1.1"));
        if (problem) return self->end();
        self->on_header();
      });
}

void HttpSession::on_header() {
  ++setting_.traffic.requests;
  activity_.works = true;
  const auto& message = parser_->get();
  AnswerWriter::Mode& mode = answer_.mode();
  mode = {.keeps_alive = message.keep_alive() && !setting_.traffic.is_ending,
          .head_only = message.method() == http::verb::head,
          .is_old = message.version() < 11};
  try {
    require_clear_framing(message);
  } catch (...) {
    mode.keeps_alive = false;
    return answer_.respond(Problem::of(std::current_exception()).response());
  }
  try {
    request_.method = std::string(message.method_string());
    for (const auto& field : message) {
      std::string& value = request_.headers[lower_case(std::string(field.name_string()))];
      if (!value.empty()) value += ", ";
      value += std::string(field.value());
    }
    if (message.version() < 11) request_.headers.erase("accept-encoding");  // needs chunks
    if (parser_->content_length()) request_.length = *parser_->content_length();
    request_.has_body = parser_->chunked() || request_.length.value_or(0) > 0;
    read_target(std::string(message.target()), request_);
    body_.expect(setting_.handler.body_place(request_));
    if (const std::size_t share = body_.place().share; share > 0) count_for(request_.owner, share);
    answer_.note(request_);
    body_.require_room(request_.length.value_or(0));
  } catch (...) {
    answer_.note(request_);
    mode.keeps_alive = mode.keeps_alive && !request_.has_body;  // its bytes will not be read
    return refuse_body();
  }
  request_.sink = body_.place().sink;
  if (!request_.has_body) return answer();
  if (message.version() < 11 || lower_case(request_.header("expect")) != "100-continue")
    return body_.read();
  static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
  asio::async_write(socket_, asio::buffer(kContinue.data(), kContinue.size()),
                    [self = shared_from_this()](ErrorCode problem, std::size_t) {
                      if (problem) return self->end();
                      self->body_.read();
                    });
}

/// Answers with the exception in flight.
void HttpSession::refuse_body() {
  Response response = Problem::of(std::current_exception()).response();
  for (const auto& [name, value] : body_.place().headers) response.with(name, value);
  answer_.respond(std::move(response));
}

void HttpSession::answer() {
  deadline_.cancel();
  body_.close();
  gone_ = request_.gone = std::make_shared<std::function<void()>>();
  // While the answer is pending, only two things keep the connection alive: the pending answer, and
  // the wait for the client's end.
  try {
    if (!refill_memory_reserve() && request_.has_body) throw std::bad_alloc();
    setting_.handler.handle(std::move(request_), [self = shared_from_this()](Response response) {
      self->answer_.respond(std::move(response));
    });
  } catch (...) {
    answer_.respond(Problem::of(std::current_exception()).response());
  }
  if (answer_.state() == AnswerWriter::State::waits && *gone_) expect_end();
}

void HttpSession::expect_end() {
  socket_.async_wait(Socket::wait_read,
                     [self = shared_from_this(), turn = activity_.turn](ErrorCode problem) {
                       if (!problem && turn == self->activity_.turn) self->look_for_end();
                     });
}

/// A client that closes the connection, or its own side of it, while it waits wants no answer.
void HttpSession::look_for_end() {
  if (answer_.state() != AnswerWriter::State::waits || !socket_.is_open()) return;
  pollfd about{socket_.native_handle(), POLLRDHUP, 0};
  if (poll(&about, 1, 0) > 0) {
    if (const auto gone = std::exchange(*gone_, nullptr)) gone();
    return;
  }
  // The bytes belong to the next request, which is read once this one is answered.
  deadline_.expires_after(kLook);
  deadline_.async_wait([weak = weak_from_this(), turn = activity_.turn](ErrorCode problem) {
    const auto self = weak.lock();
    if (!problem && self && turn == self->activity_.turn) self->look_for_end();
  });
}

void BodyReader::expect(RequestHandler::BodyPlace place) {
  place_ = std::move(place);
  is_timed_ = false;
}

void BodyReader::require_room(std::uint64_t bytes) const {
  if (!place_.sink && bytes > place_.most_text)
    throw Problem(413, "limit",
                  fmt::format("the body must have at most {} bytes", place_.most_text));
}

/// Reads a body of known length in large pieces, without the parser.
void BodyReader::read() {
  arm();
  if (piece_.size() < kPiece) piece_.resize(place_.sink ? kPiece : std::size_t{16} << 10);
  auto& parser = *session_.parser_;
  auto& buffer = session_.buffer_;
  if (session_.request_.length && !parser.chunked()) {
    left_ = *session_.request_.length;
    const std::size_t there =
        static_cast<std::size_t>(std::min<std::uint64_t>(left_, buffer.size()));
    if (!take(static_cast<const char*>(buffer.data().data()), there)) return;
    buffer.consume(there);
    left_ -= there;
    return read_straight();
  }
  parser.get().body().data = piece_.data();
  parser.get().body().size = piece_.size();
  http::async_read_some(session_.socket_, buffer, parser,
                        [this, stays = session_.shared_from_this()](
                            ErrorCode problem, std::size_t count) { on_chunk(problem, count); });
}

void BodyReader::on_chunk(ErrorCode problem, std::size_t count) {
  session_.setting_.traffic.bytes_in += count;
  if (problem == http::error::need_buffer) problem = {};
  if (problem == http::error::buffer_overflow)
    return session_.refuse(malformed(400, "a line of the chunked body is too long"));
  if (problem.category() == http::make_error_code(http::error::bad_chunk).category() &&
      problem != http::error::partial_message)
    return session_.refuse(malformed(400, "the chunks of the body are malformed"));
  if (problem) return session_.end();
  if (!take(piece_.data(), piece_.size() - session_.parser_->get().body().size)) return;
  if (session_.parser_->is_done()) return session_.answer();
  read();
}

/// A body that goes to a file may take any time as long as bytes keep coming; for a text, the total
/// time is limited.
void BodyReader::arm() {
  if (place_.sink || !is_timed_) session_.arm(session_.setting_.limits.body_time);
  is_timed_ = true;
}

void BodyReader::read_straight() {
  if (left_ == 0) return session_.answer();
  arm();
  const std::size_t most = static_cast<std::size_t>(std::min<std::uint64_t>(left_, piece_.size()));
  session_.socket_.async_read_some(
      asio::buffer(piece_.data(), most),
      [this, stays = session_.shared_from_this()](ErrorCode problem, std::size_t count) {
        if (problem) return session_.end();
        session_.setting_.traffic.bytes_in += count;
        if (!take(piece_.data(), count)) return;
        left_ -= count;
        read_straight();
      });
}

/// Takes a part of the body, or refuses it and returns false.
bool BodyReader::take(const char* bytes, std::size_t count) try {
  std::string& text = session_.request_.body;
  require_room(text.size() + count);
  place_.sink ? place_.sink->write(bytes, count) : void(text.append(bytes, count));
  return true;
} catch (...) {
  session_.answer_.mode().keeps_alive = false;
  session_.refuse_body();
  return false;
}

}  // namespace skde::service

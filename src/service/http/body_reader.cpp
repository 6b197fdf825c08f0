#include "service/http/body_reader.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <boost/beast/http/read.hpp>

#include "service/answer/http_problem.hpp"
#include "service/http/http_session.hpp"

namespace skde::service {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using ErrorCode = boost::beast::error_code;

constexpr std::size_t kPiece = std::size_t{1} << 20;

}  // namespace

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

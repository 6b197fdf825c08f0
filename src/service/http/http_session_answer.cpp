#include <fmt/core.h>
#include <sys/sendfile.h>

#include <algorithm>
#include <array>
#include <boost/asio/write.hpp>
#include <boost/beast/http/status.hpp>
#include <ctime>
#include <utility>

#include "service/answer/http_problem.hpp"
#include "service/http/http_session.hpp"

// How a connection writes its answers; http_session.cpp reads the requests.

namespace skde::service {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;

/// Returns the current time as an IMF-fixdate (RFC 9110).
std::string http_date() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
  return text.data();
}

constexpr std::string_view kJobs = "/jobs/";
constexpr std::chrono::milliseconds kLinger{2000};
/// A larger value would let one download delay the others.
constexpr std::uint64_t kSendAtOnce = std::uint64_t{4} << 20;

}  // namespace

void HttpSession::respond(Response response) {
  if (std::exchange(answered_, true) || !socket_.is_open()) return;
  response_ = std::move(response);
  access_.status = response_.status;
  ++traffic_.answers[response_.status];
  for (const auto& [name, value] : response_.headers)
    if (name == "Location" && value.starts_with(kJobs)) access_.job = value.substr(kJobs.size());
  if (response_.closes) keeps_alive_ = false;
  write_head();
}

void HttpSession::write_head() {
  const Response& r = response_;
  const std::string reason(http::obsolete_reason(http::int_to_status(r.status)));
  head_ = fmt::format("HTTP/1.1 {} {}\r\nDate: {}\r\n", r.status, reason, http_date());
  for (const auto& [name, value] : r.headers) {
    if (value.find_first_of("\r\n") != value.npos) continue;  // no header may contain a line end
    head_.append(name).append(": ").append(value).append("\r\n");
  }
  std::uint64_t length = r.file ? r.length : r.body.size() + r.fixed_body.size();
  for (const BodyPart& part : r.parts) length += part.length();
  if (r.events)
    keeps_alive_ = false;
  else if (r.status != 204 && r.status != 304)
    head_ += fmt::format("Content-Length: {}\r\n", length);
  if (!keeps_alive_)
    head_ += "Connection: close\r\n";
  else if (is_old_)
    head_ += "Connection: keep-alive\r\n";
  head_ += "\r\n";
  arm(limits_.body_time);
  std::vector<asio::const_buffer> parts{asio::buffer(head_)};
  if (!head_only_ && r.status != 304 && !r.file) {
    parts.push_back(asio::buffer(r.body));
    parts.push_back(asio::buffer(r.fixed_body.data(), r.fixed_body.size()));
  }
  asio::async_write(socket_, parts,
                    [self = shared_from_this()](ErrorCode problem, std::size_t count) {
                      self->count(count);
                      if (problem) return self->end();
                      self->after_head();
                    });
}

void HttpSession::after_head() {
  if (response_.events && !head_only_) return watch();
  if (response_.file && !head_only_ && response_.length > 0) return send_file();
  part_ = 0;
  sent_of_part_ = 0;
  if (!head_only_) return send_parts();
  finish();
}

/// Holds one piece at a time in memory, however slowly the client reads it.
void HttpSession::send_parts() {
  piece_text_.clear();
  while (piece_text_.empty() && part_ < response_.parts.size()) {
    BodyPart& part = response_.parts[part_];
    piece_text_ = std::exchange(part.text, {});
    if (piece_text_.empty()) try {
        piece_text_ = part.read_on(sent_of_part_);
      } catch (const Problem&) {  // too late for another answer
        return end();
      }
    if (!piece_text_.empty()) break;
    part = {};
    ++part_;
    sent_of_part_ = 0;
  }
  if (piece_text_.empty()) return finish();
  arm(limits_.body_time);
  asio::async_write(socket_, asio::buffer(piece_text_),
                    [self = shared_from_this()](ErrorCode problem, std::size_t count) {
                      self->count(count);
                      if (problem) return self->end();
                      self->send_parts();
                    });
}

/// Sends from the page cache until the socket accepts no more.
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
    if (count <= 0) return end();  // the client is gone, or the file has become shorter
    response_.offset += static_cast<std::uint64_t>(count);
    response_.length -= static_cast<std::uint64_t>(count);
    sent += static_cast<std::uint64_t>(count);
  }
  count(sent);
  if (response_.length == 0) return finish();
  if (sent > 0) arm(limits_.body_time);
  socket_.async_wait(Socket::wait_write, [self = shared_from_this()](ErrorCode failed) {
    if (failed) return self->end();
    self->send_file();
  });
}

void HttpSession::count(std::size_t sent) {
  traffic_.bytes_out += sent;
  access_.bytes += sent;
}

/// Writes the line of a request that has been answered, or whose client is gone.
void HttpSession::log() {
  if (access_.status == 0 && access_.method.empty()) return;
  traffic_.log.write(access_);
  access_ = {};
}

void HttpSession::finish() {
  log();
  response_.file.reset();
  response_.body.clear();
  response_.parts.clear();
  if (!keeps_alive_) return linger();
  wait_for_request();
}

/// Reads what the client is still sending for a while: closing at once would reset the connection
/// and lose the answer.
void HttpSession::linger() {
  works_ = false;
  lingers_ = true;
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

/// Runs until the feed or the connection ends.
void HttpSession::watch() {
  ++traffic_.watchers;
  watches_ = true;
  deadline_.cancel();
  piece_ = {};
  response_.events->on_news([weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->send_events();
  });
  // No data is expected; whatever arrives means the end.
  socket_.async_wait(Socket::wait_read, [self = shared_from_this()](ErrorCode) { self->end(); });
  streams_ = true;
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
    if (response_.events->ended() || !streams_) end();
    return;
  }
  sending_ = true;
  arm(limits_.body_time);
  asio::async_write(socket_, asio::buffer(events_text_),
                    [self = shared_from_this()](ErrorCode problem, std::size_t count) {
                      self->count(count);
                      self->sending_ = false;
                      self->events_text_.clear();
                      if (problem) return self->end();
                      self->deadline_.cancel();
                      self->send_events();
                    });
}

}  // namespace skde::service

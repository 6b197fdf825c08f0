#include "service/http/answer_writer.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>

#include <algorithm>
#include <array>
#include <boost/asio/write.hpp>
#include <boost/beast/http/status.hpp>
#include <cerrno>
#include <ctime>
#include <filesystem>
#include <limits>
#include <utility>

#include "service/http/http_session.hpp"
#include "service/jobs/worker_order.hpp"

namespace skde::service {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using ErrorCode = boost::beast::error_code;
using Socket = HttpSession::Socket;

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

/// A larger value would let one client delay the others.
constexpr std::uint64_t kPipedAtOnce = std::uint64_t{4} << 20;

}  // namespace

AnswerWriter::~AnswerWriter() {
  if (watches_) --session_.setting_.traffic.watchers;
}

void AnswerWriter::expect() {
  access_ = {};
  response_ = {};
  state_ = State::waits;
}

void AnswerWriter::note(const Request& request) {
  access_.owner = request.owner;
  access_.method = request.method;
  access_.path = request.target.substr(0, request.target.find('?'));
  if (request.segment(0) == "jobs") access_.job = request.segment(1);
}

void AnswerWriter::respond(Response response) {
  if (state_ != State::waits) return;
  state_ = State::answers;
  if (!session_.socket_.is_open()) return;
  response_ = std::move(response);
  access_.status = response_.status;
  ++session_.setting_.traffic.answers[response_.status];
  for (const auto& [name, value] : response_.headers)
    if (name == "Location" && value.starts_with(kJobs)) access_.job = value.substr(kJobs.size());
  if (response_.closes) mode_.keeps_alive = false;
  write_head();
}

void AnswerWriter::write_head() {
  const Response& r = response_;
  const std::string reason(http::obsolete_reason(http::int_to_status(r.status)));
  text_ = fmt::format("HTTP/1.1 {} {}\r\nDate: {}\r\n", r.status, reason, http_date());
  for (const auto& [name, value] : r.headers) {
    if (value.find_first_of("\r\n") != value.npos) continue;  // no header may contain a line end
    text_.append(name).append(": ").append(value).append("\r\n");
  }
  std::uint64_t length = r.file ? r.length : r.body.size() + r.fixed_body.size();
  for (const BodyPart& part : r.parts) length += part.length();
  if (r.piped) length = r.piped->length();
  if (r.events)
    mode_.keeps_alive = false;
  else if (r.piped && length == 0)
    text_ += "Transfer-Encoding: chunked\r\n";
  else if (r.status != 204 && r.status != 304)
    text_ += fmt::format("Content-Length: {}\r\n", length);
  if (!mode_.keeps_alive)
    text_ += "Connection: close\r\n";
  else if (mode_.is_old)
    text_ += "Connection: keep-alive\r\n";
  text_ += "\r\n";
  std::vector<asio::const_buffer> parts{asio::buffer(text_)};
  if (!mode_.head_only && r.status != 304 && !r.file) {
    parts.push_back(asio::buffer(r.body));
    parts.push_back(asio::buffer(r.fixed_body.data(), r.fixed_body.size()));
  }
  write(parts, &AnswerWriter::after_head);
}

/// Continues by `then`; ends the connection on failure.
void AnswerWriter::write(const auto& buffers, void (AnswerWriter::*then)()) {
  session_.arm(session_.setting_.limits.body_time);
  asio::async_write(
      session_.socket_, buffers,
      [this, then, stays = session_.shared_from_this()](ErrorCode problem, std::size_t sent) {
        session_.setting_.traffic.bytes_out += sent;
        access_.bytes += sent;
        if (problem) return session_.end();
        (this->*then)();
      });
}

void AnswerWriter::after_head() {
  if (response_.events && !mode_.head_only) return watch();
  if (response_.file && !mode_.head_only && response_.length > 0) return send_file();
  part_ = 0;
  sent_of_part_ = 0;
  if (mode_.head_only) return finish();
  if (!response_.piped) return send_parts();
  const auto stays = session_.shared_from_this();
  response_.piped->send(
      session_.socket_,
      [this, stays](std::uint64_t sent) {
        session_.setting_.traffic.bytes_out += sent;
        access_.bytes += sent;
        session_.arm(session_.setting_.limits.body_time);
      },
      [this, stays](bool whole, std::shared_ptr<const OpenFile> rest) {
        response_.piped.reset();
        if (!whole) return session_.end();
        if (!rest) return finish();
        response_.offset = 0;
        response_.length = rest->size();
        response_.file = std::move(rest);
        send_file();
      });
}

/// Holds one piece at a time in memory, however slowly the client reads it.
void AnswerWriter::send_parts() {
  text_.clear();
  while (text_.empty() && part_ < response_.parts.size()) {
    BodyPart& part = response_.parts[part_];
    text_ = std::exchange(part.text, {});
    if (text_.empty()) try {
        text_ = part.read_on(sent_of_part_);
      } catch (const Problem&) {  // too late for another answer
        return session_.end();
      }
    if (!text_.empty()) break;
    part = {};
    ++part_;
    sent_of_part_ = 0;
  }
  if (text_.empty()) return finish();
  write(asio::buffer(text_), &AnswerWriter::send_parts);
}

/// Sends from the page cache until the socket accepts no more.
void AnswerWriter::send_file() {
  ErrorCode problem;
  session_.socket_.native_non_blocking(true, problem);
  std::uint64_t sent = 0;
  while (response_.length > 0 && sent < kSendAtOnce) {
    auto offset = static_cast<off_t>(response_.offset);
    const ssize_t bytes =
        sendfile(session_.socket_.native_handle(), response_.file->descriptor(), &offset,
                 static_cast<std::size_t>(std::min(response_.length, kSendAtOnce)));
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes < 0 && errno == EAGAIN) break;
    if (bytes <= 0) return session_.end();  // the client is gone, or the file has become shorter
    response_.offset += static_cast<std::uint64_t>(bytes);
    response_.length -= static_cast<std::uint64_t>(bytes);
    sent += static_cast<std::uint64_t>(bytes);
  }
  session_.setting_.traffic.bytes_out += sent;
  access_.bytes += sent;
  if (response_.length == 0) return finish();
  if (sent > 0) session_.arm(session_.setting_.limits.body_time);
  session_.socket_.async_wait(Socket::wait_write,
                              [this, stays = session_.shared_from_this()](ErrorCode failed) {
                                if (failed) return session_.end();
                                send_file();
                              });
}

void AnswerWriter::log() {
  if (access_.status == 0 && access_.method.empty()) return;
  session_.setting_.traffic.log.write(access_);
  access_ = {};
}

void AnswerWriter::stop() {
  log();
  if (comment_) comment_->cancel();
  if (const auto piped = std::exchange(response_.piped, nullptr)) piped->close();
}

void AnswerWriter::finish() {
  log();
  response_.file.reset();
  response_.body.clear();
  response_.parts.clear();
  if (mode_.keeps_alive) return session_.wait_for_request();
  // Reads what the client is still sending for a while: closing at once would reset the connection
  // and lose the answer.
  session_.activity_.works = false;
  state_ = State::lingers;
  ErrorCode ignored;
  session_.socket_.shutdown(Socket::shutdown_send, ignored);
  session_.arm(kLinger);
  text_.resize(std::size_t{16} << 10);
  drain();
}

void AnswerWriter::drain() {
  session_.socket_.async_read_some(asio::buffer(text_), [this, stays = session_.shared_from_this()](
                                                            ErrorCode problem, std::size_t) {
    if (problem) return session_.end();
    drain();
  });
}

/// Runs until the feed or the connection ends.
void AnswerWriter::watch() {
  ++session_.setting_.traffic.watchers;
  watches_ = true;
  session_.deadline_.cancel();
  text_.clear();
  response_.events->on_news([this, weak = session_.weak_from_this()] {
    if (const auto stays = weak.lock()) send_events();
  });
  // No data is expected; whatever arrives means the end.
  session_.socket_.async_wait(Socket::wait_read,
                              [stays = session_.shared_from_this()](ErrorCode) { stays->end(); });
  state_ = State::streams;
  expect_keep_alive();
  send_events();
}

void AnswerWriter::end_stream() {
  if (state_ != State::streams) return;
  state_ = State::winds_up;
  send_events();
}

void AnswerWriter::expect_keep_alive() {
  if (!comment_) comment_ = std::make_unique<asio::steady_timer>(session_.socket_.get_executor());
  comment_->expires_after(session_.setting_.limits.keep_alive);
  comment_->async_wait([this, weak = session_.weak_from_this()](ErrorCode problem) {
    const auto stays = weak.lock();
    if (problem || !stays || !session_.socket_.is_open()) return;
    if (!sending_) {
      text_ = ": keep-alive\n\n";
      send_events();
    }
    expect_keep_alive();
  });
}

void AnswerWriter::send_events() {
  if (sending_ || !session_.socket_.is_open()) return;
  text_ += response_.events->next();
  if (text_.empty()) {
    if (response_.events->ended() || state_ != State::streams) session_.end();
    return;
  }
  sending_ = true;
  write(asio::buffer(text_), &AnswerWriter::after_events);
}

void AnswerWriter::after_events() {
  sending_ = false;
  text_.clear();
  session_.deadline_.cancel();
  send_events();
}

PipedBody::PipedBody(boost::asio::io_context& context, std::string folder, std::uint64_t length)
    : pipe_(context),
      folder_(std::move(folder)),
      length_(length),
      left_(length > 0 ? length : std::numeric_limits<std::uint64_t>::max()) {
  const int pipe =
      open((folder_ + '/' + kStreamPipe).c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
  if (pipe < 0) throw Problem(500, "internal", "the result cannot be read");
  pipe_.assign(pipe);
}

void PipedBody::end(bool success) {
  ended_ = true;
  success_ = success;
  const std::string rest = folder_ + '/' + kStreamRest;
  std::error_code none;
  if (success && std::filesystem::exists(rest, none))
    rest_ = std::make_shared<const OpenFile>(rest);
  if (std::exchange(waits_for_end_, false)) send_on();
}

void PipedBody::send(Socket& socket, std::function<void(std::uint64_t)> sent,
                     std::function<void(bool, std::shared_ptr<const OpenFile>)> done) {
  socket_ = &socket;
  sent_ = std::move(sent);
  done_ = std::move(done);
  boost::system::error_code ignored;
  socket.native_non_blocking(true, ignored);
  send_on();
}

void PipedBody::close() {
  boost::system::error_code ignored;
  pipe_.close(ignored);
  sent_ = nullptr;
  done_ = nullptr;
}

void PipedBody::wait(auto& end, auto kind) {
  end.async_wait(kind, [self = shared_from_this()](boost::system::error_code problem) {
    if (!problem && self->done_) self->send_on();
  });
}

/// Moves pages from the pipe to the socket until one of them has to be waited for.
void PipedBody::send_on() {
  if (!done_) return;
  std::uint64_t sent = 0;
  ssize_t count = 1;
  while (count != 0 && sent < kPipedAtOnce) {
    const std::uint64_t most = std::min(left_ - (success_ ? 0 : 1), kPipedAtOnce);
    if (most == 0) break;
    count = splice(pipe_.native_handle(), nullptr, socket_->native_handle(), nullptr, most,
                   SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) break;
    if (count < 0) return finish(false);
    left_ -= static_cast<std::uint64_t>(count);
    sent += static_cast<std::uint64_t>(count);
  }
  if (sent > 0) sent_(sent);
  if (left_ == 0) return finish(true);
  if (count == 0 || left_ == 1) {  // the worker has written all, if it has not failed
    if (!ended_) {
      waits_for_end_ = true;
      return;
    }
    if (!success_) return finish(false);
    if (count == 0) return finish(rest_ != nullptr || length_ == 0);
  }
  int there = 0;
  ioctl(pipe_.native_handle(), FIONREAD, &there);
  if (there > 0)
    wait(*socket_, Socket::wait_write);
  else
    wait(pipe_, boost::asio::posix::stream_descriptor::wait_read);
}

void PipedBody::finish(bool whole) {
  const auto done = std::move(done_);
  close();
  done(whole, whole && left_ > 0 ? rest_ : nullptr);
}

}  // namespace skde::service

#include "service/http/piped_body.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <limits>
#include <utility>

#include "service/answer/http_message.hpp"
#include "service/jobs/worker_order.hpp"

namespace skde::service {
namespace {

/// A larger value would let one client delay the others.
constexpr std::uint64_t kPipedAtOnce = std::uint64_t{4} << 20;

}  // namespace

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

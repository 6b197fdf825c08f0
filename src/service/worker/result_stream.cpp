#include "service/worker/result_stream.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <utility>

#include "core/report/error.hpp"
#include "io/text/json_object.hpp"
#include "service/answer/http_problem.hpp"
#include "service/jobs/worker_order.hpp"

namespace skde::service {
namespace {

/// Longest time that a worker waits for its client.
constexpr std::chrono::milliseconds kPatience{1000};
constexpr int kPipeBytes = 1 << 20;

[[noreturn]] void fail() {
  throw Problem(507, "disk", "the disk of the service cannot be written to");
}

}  // namespace

ResultStream::ResultStream(bool packs, std::function<void(const nlohmann::ordered_json&)> ask)
    : packer_(packs ? ZSTD_createCCtx() : nullptr, ZSTD_freeCCtx), ask_(std::move(ask)) {
  if (packs && !packer_) throw std::bad_alloc();
  if (packs) ZSTD_CCtx_setParameter(packer_.get(), ZSTD_c_compressionLevel, 1);
}

ResultStream::~ResultStream() {
  for (const int file : {pipe_, rest_})
    if (file >= 0) close(file);
}

void ResultStream::begin(const std::string& description, std::uint64_t bytes) {
  // The end that is open for both keeps the pipe while the other one has no reader yet.
  if (mkfifo(kStreamPipe, 0600) != 0) fail();
  const int both = open(kStreamPipe, O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (both < 0) fail();
  try {
    ask_({{"streams", packer_ ? 0 : bytes},
          {"description", io::parse_json(description, "the description")}});
  } catch (...) {
    close(both);
    throw;
  }
  pipe_ = open(kStreamPipe, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  close(both);
  if (pipe_ < 0) fail();
  fcntl(pipe_, F_SETPIPE_SZ, kPipeBytes);  // a smaller one is slower
}

void ResultStream::write(std::string_view bytes) { packer_ ? pack(bytes, false) : send(bytes); }

void ResultStream::finish(const std::string&) {
  if (!packer_) return;
  pack({}, true);
  send("0\r\n\r\n");
}

/// Sends what becomes of the bytes, as chunks.
void ResultStream::pack(std::string_view bytes, bool is_end) {
  std::string room(ZSTD_CStreamOutSize(), '\0');
  ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
  for (std::size_t left = 1; in.pos < in.size || (is_end && left > 0);) {
    ZSTD_outBuffer out{room.data(), room.size(), 0};
    left = ZSTD_compressStream2(packer_.get(), &out, &in, is_end ? ZSTD_e_end : ZSTD_e_continue);
    if (ZSTD_isError(left) != 0) throw std::bad_alloc();  // the only reason
    if (out.pos > 0)
      send(fmt::format("{:x}\r\n{}\r\n", out.pos, std::string_view(room).substr(0, out.pos)));
  }
}

/// Returns true once the client has kept the worker waiting for too long.
bool ResultStream::waits_too_long() {
  const auto begin = std::chrono::steady_clock::now();
  pollfd about{pipe_, POLLOUT, 0};
  poll(&about, 1, static_cast<int>(kPatience.count() / 10));
  waited_ += std::chrono::steady_clock::now() - begin;
  return waited_ > kPatience;
}

void ResultStream::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(rest_ >= 0 ? rest_ : pipe_, bytes.data(), bytes.size());
    if (count > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno == EPIPE) {
      throw Error(ErrorKind::cancelled, "the client has gone");
    } else if (errno == EAGAIN) {
      if (waits_too_long())
        rest_ = open(kStreamRest, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
      if (waited_ > kPatience && rest_ < 0) fail();
    } else if (errno != EINTR) {
      fail();
    }
  }
}

}  // namespace skde::service

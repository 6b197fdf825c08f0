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
#include <span>
#include <utility>

#include "cli/options/density_options.hpp"
#include "core/report/error.hpp"
#include "io/points/cloud_stream.hpp"
#include "io/points/point_writer.hpp"
#include "io/text/json_object.hpp"
#include "service/answer/http_message.hpp"
#include "service/jobs/worker_order.hpp"

namespace skde::service {
namespace {

/// Longest time that a worker waits for its client.
constexpr std::chrono::milliseconds kPatience{1000};
constexpr int kPipeBytes = 1 << 20;

[[noreturn]] void fail() {
  throw Problem(507, "disk", "the disk of the service cannot be written to");
}

/// Keeps every `stride`-th item; doubles the stride and thins the kept items whenever there are too
/// many.
class EvenChoice {
 public:
  explicit EvenChoice(std::size_t most) : most_(most) {}

  void add(const Samples& chunk) {
    const std::size_t count = chunk.xyz.size() / 3;
    for (std::size_t i = 0; i < count; ++i, ++seen_) {
      if (seen_ % stride_ != 0) continue;
      const double weight = chunk.weights.empty() ? 1 : chunk.weights[i];
      rows_.insert(rows_.end(),
                   {chunk.xyz[3 * i], chunk.xyz[3 * i + 1], chunk.xyz[3 * i + 2], weight});
      if (rows_.size() / 4 > most_) thin();
    }
  }
  const std::vector<double>& rows() const { return rows_; }

 private:
  void thin() {
    std::size_t kept = 0;
    for (std::size_t row = 0; row < rows_.size() / 4; row += 2, ++kept)
      std::copy_n(rows_.begin() + static_cast<std::ptrdiff_t>(4 * row), 4,
                  rows_.begin() + static_cast<std::ptrdiff_t>(4 * kept));
    rows_.resize(4 * kept);
    stride_ *= 2;
  }

  std::size_t most_, seen_ = 0, stride_ = 1;
  std::vector<double> rows_;
};

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

void write_points(const std::vector<std::string>& arguments, Progress& progress) {
  DensityOptions options;
  CloudFiles& files = options.files;
  cli::OptionTable table("points", "", "");
  cli::add_density_fields(table, options, target::kCloud);
  const cli::ParsedFlags flags = table.parse(std::span(arguments).subspan(3));
  files.paths = {arguments[1]};
  cli::assume_widths(flags, files, options.request);
  io::CloudStream stream(files.paths, files.columns, files.non_finite, {.files = files.open});
  EvenChoice choice(WholeNumber(1, 10000000)(arguments[2]));
  Samples chunk;
  while (stream.read(chunk, std::size_t{1} << 18, progress)) {
    progress.throw_if_cancelled();
    choice.add(chunk);
  }
  io::PointWriter writer(arguments[0], choice.rows().size() / 4, {"x", "y", "z", "weight"});
  writer.write(std::span(choice.rows()));
  writer.finish();
}

}  // namespace skde::service

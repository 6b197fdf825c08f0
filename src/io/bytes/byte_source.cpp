#include "io/bytes/byte_source.hpp"

#include <fmt/core.h>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

namespace skde::io {
namespace {

class MemorySource final : public ByteSource {
 public:
  MemorySource(std::string name, std::string_view bytes) : name_(std::move(name)), bytes_(bytes) {}
  MemorySource(std::string name, std::string kept)
      : name_(std::move(name)), kept_(std::move(kept)), bytes_(kept_) {}
  MemorySource(const MemorySource&) = delete;
  MemorySource& operator=(const MemorySource&) = delete;

  const std::string& name() const override { return name_; }
  std::optional<std::uint64_t> size() const override { return bytes_.size(); }
  std::size_t read(char* to, std::size_t most) override {
    const std::size_t count = std::min(most, bytes_.size() - position_);
    if (count > 0) std::memcpy(to, bytes_.data() + position_, count);
    position_ += count;
    return count;
  }
  bool seekable() const override { return true; }
  void seek(std::uint64_t position) override {
    position_ = static_cast<std::size_t>(std::min<std::uint64_t>(position, bytes_.size()));
  }

 private:
  std::string name_, kept_;  // kept_ is empty if the bytes belong to someone else
  std::string_view bytes_;
  std::size_t position_ = 0;
};

constexpr int kLookAgain = 20;  // ms

thread_local const std::function<void()>* meanwhile_here = nullptr;

}  // namespace

std::string source_name(const std::string& path) { return path == "-" ? "standard input" : path; }

std::unique_ptr<ByteSource> memory_source(std::string name, std::string_view bytes) {
  return std::make_unique<MemorySource>(std::move(name), bytes);
}

std::unique_ptr<ByteSource> kept_source(std::string name, std::string bytes) {
  return std::make_unique<MemorySource>(std::move(name), std::move(bytes));
}

std::string read_whole(BufferedSource& source, const Error& too_large) {
  constexpr std::size_t kStep = std::size_t{1} << 20, kMost = std::size_t{1} << 30;
  std::string bytes;
  std::size_t got = kStep;
  while (got == kStep) {
    const std::size_t have = bytes.size();
    bytes.resize(have + kStep);
    got = source.read(bytes.data() + have, kStep);
    bytes.resize(have + got);
    if (bytes.size() > kMost) throw too_large;
  }
  return bytes;
}

std::string read_next(BufferedSource& source, std::uint64_t count) {
  constexpr std::uint64_t kStep = std::uint64_t{1} << 24;
  std::string bytes;
  while (bytes.size() < count) {
    const std::size_t have = bytes.size();
    bytes.resize(have + static_cast<std::size_t>(std::min(kStep, count - have)));
    const std::size_t got = source.read(bytes.data() + have, bytes.size() - have);
    if (have + got == bytes.size()) continue;
    bytes.resize(have + got);
    break;
  }
  return bytes;
}

void check_promise(const BufferedSource& source, std::uint64_t rows, std::size_t bytes_a_row,
                   std::string_view what) {
  std::uint64_t needed = 0;
  if (__builtin_mul_overflow(rows, std::uint64_t{bytes_a_row}, &needed))
    throw Error(
        ErrorKind::input,
        fmt::format("{}: the header declares {} {}, more than any file can hold; it is broken",
                    source.name(), rows, what));
  if (!source.size()) return;
  const std::uint64_t left = std::max(*source.size(), source.position()) - source.position();
  if (needed > left)
    throw Error(ErrorKind::input,
                fmt::format("{}: the header declares {} {}, at least {} bytes, but only {} bytes "
                            "follow it; the file is truncated or its header is wrong",
                            source.name(), rows, what, needed, left));
}

InputWait::InputWait(std::function<void()> meanwhile) : meanwhile_(std::move(meanwhile)) {
  if (meanwhile_) meanwhile_here = &meanwhile_;
}

InputWait::~InputWait() { meanwhile_here = nullptr; }

void InputWait::wait(int descriptor) {
  if (meanwhile_here == nullptr) return;
  pollfd input{descriptor, POLLIN, 0};
  while (poll(&input, 1, kLookAgain) == 0) (*meanwhile_here)();
}

ReopenedFile::ReopenedFile(BufferedSource source, std::string_view format)
    : source_(std::move(source)) {
  if (source_.descriptor() >= 0) return;
  constexpr std::size_t kPiece = std::size_t{1} << 20, kMost = std::size_t{1} << 30;
  copy_ = memfd_create("skde", MFD_CLOEXEC);
  const auto refuse = [&](ErrorKind kind, const std::string& why) {
    close(copy_);
    throw Error(kind, fmt::format("{}: {}", source_.name(), why),
                {{}, "save it to a file, decompressed"});
  };
  std::vector<char> piece(kPiece);
  while (const std::size_t count = source_.read(piece.data(), piece.size())) {
    for (std::size_t done = 0; done < count;) {
      const ssize_t written = ::write(copy_, piece.data() + done, count - done);
      if (written < 0) refuse(ErrorKind::resources, "does not fit into memory");
      done += static_cast<std::size_t>(written);
    }
    if (!format.empty() && source_.position() > kMost)
      refuse(ErrorKind::input,
             fmt::format("{} data of more than 1 GiB can be read only from files", format));
  }
}

ReopenedFile::~ReopenedFile() {
  if (copy_ >= 0) close(copy_);
}

std::string ReopenedFile::path() const {
  return fmt::format("/proc/{}/fd/{}", getpid(), copy_ >= 0 ? copy_ : source_.descriptor());
}

}  // namespace skde::io

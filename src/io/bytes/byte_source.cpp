#include "io/bytes/byte_source.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "core/report/error.hpp"
#include "io/bytes/input_wait.hpp"

namespace skde::io {
namespace {

std::string reason_of(int error_number) { return std::generic_category().message(error_number); }

/// A descriptor that is closed with its owner; standard input is left open.
class FileSource final : public ByteSource {
 public:
  FileSource(std::string name, int descriptor, bool owned)
      : name_(std::move(name)), descriptor_(descriptor), owned_(owned) {
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0) return;
    directory_ = S_ISDIR(status.st_mode);
    // Files of the proc kind say 0 and yet hold bytes: their size is unknown. Standard input may
    // have been read in part before, so that its size would mislead.
    if (owned_ && S_ISREG(status.st_mode) && status.st_size > 0)
      size_ = static_cast<std::uint64_t>(status.st_size);
  }
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;
  ~FileSource() override {
    if (owned_) ::close(descriptor_);
  }

  bool is_directory() const { return directory_; }
  const std::string& name() const override { return name_; }
  std::string path() const override { return size_ ? name_ : ""; }
  std::optional<std::uint64_t> size() const override { return size_; }

  std::size_t read(char* to, std::size_t most) override {
    while (true) {
      InputWait::wait(descriptor_);
      const ssize_t count = ::read(descriptor_, to, most);
      if (count >= 0) return static_cast<std::size_t>(count);
      if (errno != EINTR)
        throw Error(ErrorKind::input,
                    fmt::format("{}: reading failed: {}", name_, reason_of(errno)),
                    {{}, "check the file and disk"});
    }
  }

  bool seekable() const override { return size_.has_value(); }

  void seek(std::uint64_t position) override {
    if (::lseek(descriptor_, static_cast<off_t>(position), SEEK_SET) < 0)
      throw Error(ErrorKind::input,
                  fmt::format("{}: cannot go to byte {}: {}", name_, position, reason_of(errno)),
                  {{}, "check the file"});
  }

 private:
  std::string name_;
  int descriptor_;
  bool owned_;
  bool directory_ = false;
  std::optional<std::uint64_t> size_;
};

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
  std::string name_, kept_;  // the latter empty where the bytes are someone else's
  std::string_view bytes_;
  std::size_t position_ = 0;
};

}  // namespace

std::string source_name(const std::string& path) { return path == "-" ? "standard input" : path; }

std::unique_ptr<ByteSource> open_source(const std::string& path) {
  if (path == "-") return std::make_unique<FileSource>(source_name(path), STDIN_FILENO, false);
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    throw Error(ErrorKind::input, fmt::format("{}: cannot be opened: {}", path, reason_of(errno)),
                {{}, "check the path and rights"});
  auto source = std::make_unique<FileSource>(path, descriptor, true);
  if (source->is_directory())
    throw Error(ErrorKind::input, fmt::format("{}: is a directory", path),
                {{}, "name the files in it"});
  return source;
}

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

}  // namespace skde::io

#include "io/bytes/byte_source.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>
#include <utility>

#include "core/report/error.hpp"

namespace skde::io {

/// A file descriptor that its last source closes; standard input stays open.
class OpenFile {
 public:
  OpenFile(int descriptor, bool owned) : descriptor_(descriptor), owned_(owned) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (owned_) ::close(descriptor_);
  }

  int descriptor() const { return descriptor_; }
  bool owned() const { return owned_; }
  bool is_at(const struct stat& there) const {
    struct stat own {};
    return ::fstat(descriptor_, &own) == 0 && own.st_dev == there.st_dev &&
           own.st_ino == there.st_ino;
  }

 private:
  int descriptor_;
  bool owned_;
};

namespace {

/// A process has few descriptors. Beyond this many, a file is closed by its last reader and opened
/// again when it is read again.
constexpr std::size_t kMostKept = 256;
std::atomic<std::size_t> kept_files = 0;

std::string reason_of(int error_number) { return std::generic_category().message(error_number); }

class FileSource final : public ByteSource {
 public:
  FileSource(std::string name, std::shared_ptr<const OpenFile> file)
      : name_(std::move(name)), file_(std::move(file)) {
    struct stat status {};
    if (::fstat(file_->descriptor(), &status) != 0) return;
    directory_ = S_ISDIR(status.st_mode);
    // Standard input may have been partly read before, so its size would mislead.
    ordinary_ = file_->owned() && S_ISREG(status.st_mode);
    // Files in /proc report size 0 but hold bytes: their size is unknown.
    if (ordinary_ && status.st_size > 0) size_ = static_cast<std::uint64_t>(status.st_size);
  }

  bool is_directory() const { return directory_; }
  const std::string& name() const override { return name_; }
  std::optional<std::uint64_t> size() const override { return size_; }
  int descriptor() const override { return size_ ? file_->descriptor() : -1; }

  std::size_t read(char* to, std::size_t most) override {
    while (true) {
      const ssize_t count = read_some(to, most);
      if (count >= 0) {
        position_ += static_cast<std::uint64_t>(count);
        return static_cast<std::size_t>(count);
      }
      if (errno != EINTR)
        throw Error(ErrorKind::input,
                    fmt::format("{}: reading failed: {}", name_, reason_of(errno)),
                    {{}, "check the file and the disk"});
    }
  }

  bool seekable() const override { return size_.has_value(); }
  void seek(std::uint64_t position) override { position_ = position; }

 private:
  /// pread(), because other sources may read the same regular file at other positions.
  ssize_t read_some(char* to, std::size_t most) const {
    const int descriptor = file_->descriptor();
    if (ordinary_) return ::pread(descriptor, to, most, static_cast<off_t>(position_));
    InputWait::wait(descriptor);
    return ::read(descriptor, to, most);
  }

  std::string name_;
  std::shared_ptr<const OpenFile> file_;
  bool directory_ = false, ordinary_ = false;
  std::optional<std::uint64_t> size_;
  std::uint64_t position_ = 0;
};

std::shared_ptr<const OpenFile> open_file(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    throw Error(ErrorKind::input, fmt::format("{}: cannot be opened: {}", path, reason_of(errno)),
                {{}, "check the path and the permissions"});
  return std::make_shared<const OpenFile>(descriptor, true);
}

}  // namespace

std::unique_ptr<ByteSource> open_source(const std::string& path) {
  if (path == "-")
    return std::make_unique<FileSource>(source_name(path),
                                        std::make_shared<const OpenFile>(STDIN_FILENO, false));
  auto source = std::make_unique<FileSource>(path, open_file(path));
  if (source->is_directory())
    throw Error(ErrorKind::input, fmt::format("{}: is a directory", path),
                {{}, "name the files in it"});
  return source;
}

struct OpenFiles::State {
  struct Entry {
    std::weak_ptr<const OpenFile> file;
    std::shared_ptr<const OpenFile> kept;
  };
  std::mutex mutex;
  std::map<std::string, Entry> entries;

  ~State() {
    for (const auto& [path, entry] : entries) kept_files -= entry.kept ? 1 : 0;
  }
  static void keep(Entry& entry, std::shared_ptr<const OpenFile> file) {
    if (!entry.kept && kept_files >= kMostKept) return;
    kept_files += entry.kept ? 0 : 1;
    entry.kept = std::move(file);
  }
};

OpenFiles::OpenFiles() : state_(std::make_shared<State>()) {}

std::unique_ptr<ByteSource> OpenFiles::source(const std::string& path) const {
  struct stat there {};
  if (path == "-" || ::stat(path.c_str(), &there) != 0 || !S_ISREG(there.st_mode))
    return open_source(path);
  const std::lock_guard lock(state_->mutex);
  State::Entry& entry = state_->entries[path];
  std::shared_ptr<const OpenFile> file = entry.file.lock();
  if (!file || !file->is_at(there)) {
    file = open_file(path);
    entry.file = file;
    State::keep(entry, file);
  }
  return std::make_unique<FileSource>(path, std::move(file));
}

}  // namespace skde::io

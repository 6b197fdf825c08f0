#include "io/bytes/output_file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "core/space/grid.hpp"

namespace skde::io {
namespace {

std::atomic<bool> syncs = true;

Error cannot_write(const std::string& path) {
  return Error(ErrorKind::output, fmt::format("{}: cannot be written: {}; nothing was left behind",
                                              path, std::strerror(errno)));
}

/// Returns the permissions that a file gets by default.
mode_t usual_mode() {
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

/// Gives a new file the permissions of the file that it will replace, as far as that is allowed, or
/// else the default permissions.
void take_permissions(int descriptor, const std::string& path) {
  struct stat old {};
  if (stat(path.c_str(), &old) != 0) {
    fchmod(descriptor, usual_mode());
    return;
  }
  // Only root can keep another owner; the group is kept if that is allowed.
  const bool same_group = fchown(descriptor, static_cast<uid_t>(-1), old.st_gid) == 0;
  static_cast<void>(fchown(descriptor, old.st_uid, static_cast<gid_t>(-1)) == 0);
  constexpr mode_t kAll = 07777, kGroup = 0070;
  fchmod(descriptor, old.st_mode & (same_group ? kAll : kAll & ~kGroup));
}

/// Returns where a link leads: the link itself is kept.
std::string place_of(const std::string& path) {
  std::error_code none;
  if (!std::filesystem::is_symlink(path, none)) return path;
  const std::filesystem::path place = std::filesystem::weakly_canonical(path, none);
  return none ? path : place.string();
}

/// Returns a name of an open file that has no other.
std::string own_name_of(int descriptor) { return fmt::format("/proc/self/fd/{}", descriptor); }

/// Opens a file without a name in the folder of `place`. Returns -1 if the file system has no such
/// files, or if it could not be named later.
int open_unnamed(const std::string& place) {
  const std::filesystem::path folder = std::filesystem::path(place).parent_path();
  const int descriptor =
      open(folder.empty() ? "." : folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor < 0 || access(own_name_of(descriptor).c_str(), F_OK) == 0) return descriptor;
  close(descriptor);
  return -1;
}

}  // namespace

void sync_before_naming(bool wanted) { syncs = wanted; }

bool syncs_before_naming() { return syncs; }

void require_room(const std::string& path, std::uint64_t bytes, ErrorAdvice advice) {
  std::error_code unknown;
  const std::filesystem::path folder = std::filesystem::absolute(path, unknown).parent_path();
  const std::filesystem::space_info disk = std::filesystem::space(folder, unknown);
  // Some file systems do not know their size.
  if (unknown || disk.capacity == 0 || bytes <= disk.available) return;
  throw Error(ErrorKind::output,
              fmt::format("{}: needs {}, but only {} are free on its disk", path,
                          format_bytes(static_cast<double>(bytes)),
                          format_bytes(static_cast<double>(disk.available))),
              std::move(advice));
}

PendingPath::PendingPath(std::string path) : path_(std::move(path)), place_(place_of(path_)) {
  int descriptor = -1;
  make_file(descriptor);
  close(descriptor);
}

PendingPath::PendingPath(std::string path, int& descriptor)
    : path_(std::move(path)), place_(place_of(path_)) {
  descriptor = open_unnamed(place_);
  if (descriptor < 0)
    make_file(descriptor);
  else
    take_permissions(descriptor, path_);
}

void PendingPath::make_file(int& descriptor) {
  temporary_ = place_ + ".part-XXXXXX";
  descriptor = mkostemp(temporary_.data(), O_CLOEXEC);
  if (descriptor < 0) throw cannot_write(path_);
  take_permissions(descriptor, path_);
}

void PendingPath::give_name(int descriptor) {
  if (!temporary_.empty()) return;
  // This takes long. Until the file has a name, a killed process leaves nothing behind. commit()
  // reports errors.
  if (syncs) static_cast<void>(fsync(descriptor));
  for (unsigned number = 0; temporary_.empty(); ++number) {
    const std::string name = fmt::format("{}.part-{}-{}", place_, getpid(), number);
    if (linkat(AT_FDCWD, own_name_of(descriptor).c_str(), AT_FDCWD, name.c_str(),
               AT_SYMLINK_FOLLOW) == 0)
      temporary_ = name;
    else if (errno != EEXIST)
      throw cannot_write(path_);
  }
}

PendingPath::~PendingPath() {
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void PendingPath::try_room(std::uint64_t bytes) const {
  const int descriptor = open(temporary_.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) throw cannot_write(path_);
  int problem = 0;
  do {
    problem = fallocate(descriptor, 0, 0, static_cast<off_t>(bytes)) == 0 ? 0 : errno;
  } while (problem == EINTR);
  if (ftruncate(descriptor, 0) != 0) problem = errno;
  close(descriptor);
  errno = problem;
  // Some file systems cannot reserve room; they fail later, when it is needed.
  if (problem != 0 && problem != EOPNOTSUPP && problem != ENOSYS) throw cannot_write(path_);
}

void PendingPath::give_up_room() const {
  // If this fails too, nothing is lost: the file would not be kept.
  if (temporary_.empty() || truncate(temporary_.c_str(), 0) != 0) return;
}

void PendingPath::sync() const {
  const int descriptor = open(temporary_.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw cannot_write(path_);
  const bool kept = fsync(descriptor) == 0 || errno == EINVAL || errno == EROFS;
  const int problem = errno;
  close(descriptor);
  errno = problem;
  if (!kept) throw cannot_write(path_);
}

void PendingPath::commit() {
  // The name must not stand for bytes that a power cut can still destroy.
  if (syncs) sync();
  if (std::rename(temporary_.c_str(), place_.c_str()) != 0) throw cannot_write(path_);
  temporary_.clear();
}

OutputFile::OutputFile(std::string path) : pending_(std::move(path), descriptor_) {}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void OutputFile::fail() const { throw cannot_write(pending_.path()); }

void OutputFile::write(const void* bytes, std::size_t count) {
  constexpr std::size_t kLittle = std::size_t{1} << 16;  // of which many are handed over at once
  if (waiting_.size() + count > kLittle) flush();
  size_ += count;
  if (count > kLittle)
    write_at(size_ - count, static_cast<const char*>(bytes), count);
  else
    waiting_.append(static_cast<const char*>(bytes), count);
  send_ahead();
}

void OutputFile::flush() {
  write_at(size_ - waiting_.size(), waiting_.data(), waiting_.size());
  waiting_.clear();
}

/// Keeps the disk busy while more is written, so that commit() waits less. commit() reports its
/// errors.
void OutputFile::send_ahead() {
  constexpr std::uint64_t kAtOnce = std::uint64_t{4} << 20;
  if (!syncs || size_ - sent_ < kAtOnce) return;
  flush();
  static_cast<void>(sync_file_range(descriptor_, static_cast<off64_t>(sent_),
                                    static_cast<off64_t>(size_ - sent_), SYNC_FILE_RANGE_WRITE));
  sent_ = size_;
}

void OutputFile::resize(std::uint64_t bytes) {
  flush();
  if (ftruncate(descriptor_, static_cast<off_t>(bytes)) != 0) fail();
  size_ = bytes;
  placed_ = std::make_unique<PlacedWrites>(descriptor_, bytes);
}

void OutputFile::overwrite(std::uint64_t position, const void* bytes, std::size_t count) {
  if (!placed_) {
    flush();
    return write_at(position, static_cast<const char*>(bytes), count);
  }
  errno = placed_->write(position, bytes, count);
  if (errno != 0) fail();
}

void OutputFile::write_at(std::uint64_t position, const char* bytes, std::size_t count) {
  errno = write_all(descriptor_, position, bytes, count);
  if (errno != 0) fail();
}

void OutputFile::close() {
  flush();
  placed_.reset();
  pending_.give_name(descriptor_);
  // Network file systems report a full disk only now.
  if (::close(std::exchange(descriptor_, -1)) != 0) fail();
}

void OutputFile::commit() {
  if (descriptor_ >= 0) close();
  pending_.commit();
}

namespace {

/// An existing file that is kept under another name until it is known to be no longer needed.
class KeptFile {
 public:
  explicit KeptFile(const std::string& path)
      : path_(path), kept_(fmt::format("{}.part-kept-{}", path, getpid())) {
    std::error_code none;  // no file to keep, or the next step reports the folder's error
    std::filesystem::remove(kept_, none);
    std::filesystem::create_hard_link(path_, kept_, none);
  }
  KeptFile(const KeptFile&) = delete;
  KeptFile& operator=(const KeptFile&) = delete;
  ~KeptFile() {
    std::error_code none;
    std::filesystem::remove(kept_, none);
  }

  /// Puts the file back.
  void restore() {
    std::error_code none;
    if (std::filesystem::exists(kept_, none))
      std::filesystem::rename(kept_, path_, none);
    else
      std::filesystem::remove(path_, none);
  }

 private:
  std::string path_, kept_;
};

}  // namespace

void commit_both(OutputFile& first, OutputFile& second) {
  first.close();
  second.close();
  KeptFile before(first.path());
  first.commit();
  try {
    second.commit();
  } catch (const Error&) {
    before.restore();
    throw;
  }
}

}  // namespace skde::io

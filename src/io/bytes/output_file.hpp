#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "core/report/error.hpp"
#include "core/report/progress.hpp"
#include "io/bytes/placed_writes.hpp"

namespace skde::io {

/// Throws Error(output), with this advice, if the disk that holds the path lacks room for so many
/// more bytes. A disk that does not report its free space is no error.
void require_room(const std::string& path, std::uint64_t bytes,
                  ErrorAdvice advice = {"dims", "use smaller `dims`, or write to another disk"});

/// Sets whether files take their names only once their bytes are on the disk, so that a power cut
/// leaves either the old file or the new one. The default is true. A process that turns it off must
/// have its files synced later.
void sync_before_naming(bool wanted);
bool syncs_before_naming();

/// The name of a file that is being written: it has a temporary name in the same folder until
/// commit() renames it. Without commit() nothing is left behind, and an existing file of that name
/// stays as it was. The new file gets its permissions. A symbolic link is kept, and the file that
/// it leads to is replaced.
class PendingPath {
 public:
  /// Throws Error(output) if the folder cannot be written to.
  explicit PendingPath(std::string path);
  /// The same, and opens the file. If the file system allows that, it has no name before
  /// give_name(), so that nothing is left however the process ends.
  PendingPath(std::string path, int& descriptor);
  ~PendingPath();
  PendingPath(const PendingPath&) = delete;
  PendingPath& operator=(const PendingPath&) = delete;

  const std::string& path() const { return path_; }
  /// Path to write to until commit(), where an empty file exists; empty for a file without a name.
  const std::string& temporary() const { return temporary_; }
  /// Throws Error(output) if the disk, or a limit of this process, has no room for so many bytes.
  /// For libraries that do not survive a full disk. The file is empty afterwards.
  void try_room(std::uint64_t bytes) const;
  /// Frees the disk space of a file that will not be committed; what is written to it later is
  /// discarded too.
  void give_up_room() const;
  /// Gives the open file its temporary name if it has none, once its bytes are on the disk. Throws
  /// Error(output) if that fails.
  void give_name(int descriptor);
  /// Renames the file into place, once its bytes are on the disk (see sync_before_naming). Throws
  /// Error(output) if that fails.
  void commit();

 private:
  void make_file(int& descriptor);
  void sync() const;

  std::string path_, place_;  ///< as given, and with links resolved
  std::string temporary_;
};

/// A file that appears complete at commit(), or not at all.
class OutputFile {
 public:
  /// Throws Error(output) if it cannot be created.
  explicit OutputFile(std::string path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Appends bytes, which may wait until close(). Throws Error(output) if the disk is full.
  void write(const void* bytes, std::size_t count);
  void write(std::string_view text) { write(text.data(), text.size()); }
  /// Sets the number of bytes; those that were not written are zeros until they are overwritten.
  /// Throws Error(output) if that fails.
  void resize(std::uint64_t bytes);
  /// Overwrites existing bytes; the next write() appends again. Several threads may overwrite
  /// different bytes at once.
  void overwrite(std::uint64_t position, const void* bytes, std::size_t count);
  /// Number of bytes appended so far.
  std::uint64_t size() const { return size_; }
  /// Hands all bytes to the operating system, as commit() does too; only commit() may follow. For
  /// files that belong together: none takes its name before all are complete. Throws Error(output)
  /// if that fails.
  void close();
  /// Renames the file into place. Throws Error(output) if that fails.
  void commit();
  const std::string& path() const { return pending_.path(); }
  /// As PendingPath::temporary().
  const std::string& temporary() const { return pending_.temporary(); }

 private:
  [[noreturn]] void fail() const;
  void write_at(std::uint64_t position, const char* bytes, std::size_t count);
  void flush();
  void send_ahead();

  int descriptor_ = -1;
  PendingPath pending_;
  std::string waiting_;  ///< the last appended bytes, which are not written yet
  std::uint64_t size_ = 0;
  std::uint64_t sent_ = 0;                ///< bytes already on their way to the disk
  std::unique_ptr<PlacedWrites> placed_;  ///< after resize()
};

/// Appends the bytes of a value as they are in memory.
template <class Value>
void append_bytes(std::string& to, const Value& value) {
  char bytes[sizeof(Value)];
  std::memcpy(bytes, &value, sizeof(Value));
  to.append(bytes, sizeof(Value));
}

/// Writes `count` records, each by append(text, index), a few thousand at a time, as a stage of
/// `progress`.
template <class Append>
void write_records(OutputFile& file, std::size_t count, const char* what, Progress& progress,
                   const Append& append) {
  constexpr std::size_t kAtOnce = 1 << 14;
  progress.begin("writing " + file.path(), count, what);
  std::string piece;
  for (std::size_t begin = 0; begin < count; begin += kAtOnce) {
    progress.throw_if_cancelled();
    piece.clear();
    const std::size_t end = begin + kAtOnce < count ? begin + kAtOnce : count;
    for (std::size_t i = begin; i < end; ++i) append(piece, i);
    file.write(piece);
    progress.update(end);
  }
}

/// Completes both files before either takes its name; `first` takes it first. If the second cannot
/// be renamed, the first is undone. Throws Error(output) if that fails.
void commit_both(OutputFile& first, OutputFile& second);

}  // namespace skde::io

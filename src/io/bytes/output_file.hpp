#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/report/error.hpp"

namespace skde::io {

/// Error(output) where the disk of this path has no room for so many bytes more, with this
/// advice. What it does not tell of itself is no error.
void require_room(const std::string& path, std::uint64_t bytes,
                  ErrorAdvice advice = {"dims", "use smaller `dims`, or write to another disk"});

/// Whether files take their names only once their bytes are on the disk, so that a power cut leaves
/// the old one or the new one. As long as nobody calls this, they do; a process that does not wait
/// for the disk says so once, and someone syncs its files later.
void sync_before_naming(bool wanted);
bool syncs_before_naming();

/// The name of a file that is being made: it is written under another name in the same folder and
/// takes its own in commit(). Without commit() nothing stays behind, and a file of that name that
/// was there before stays as it was. The new one gets its permissions. A link stays
/// one, and the file is where it leads.
class PendingPath {
 public:
  /// Error(output) where the folder cannot be written to.
  explicit PendingPath(std::string path);
  ~PendingPath();
  PendingPath(const PendingPath&) = delete;
  PendingPath& operator=(const PendingPath&) = delete;

  const std::string& path() const { return path_; }
  /// Where to write meanwhile; an empty file is there.
  const std::string& temporary() const { return temporary_; }
  /// Error(output) where the disk, or a limit of this process, has no room for so many bytes. For
  /// those who write by a library that does not survive it. The file is empty behind it.
  void try_room(std::uint64_t bytes) const;
  /// Gives back the room of a file that will not be put in place; what is written to it still comes
  /// to nothing.
  void give_up_room() const;
  /// Puts the file in place, once its bytes are on the disk (sync_before_naming). Error(output)
  /// where that fails.
  void commit();

 private:
  void sync() const;

  std::string path_, place_;  ///< as it was given, and where links lead
  std::string temporary_;
};

/// A file that appears whole at commit(), or not at all.
class OutputFile {
 public:
  /// Error(output) where it cannot be made.
  explicit OutputFile(std::string path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Appends bytes; Error(output) where the disk is full.
  void write(const void* bytes, std::size_t count);
  void write(std::string_view text) { write(text.data(), text.size()); }
  /// Writes over bytes that are there already; the next write() appends again.
  void overwrite(std::uint64_t position, const void* bytes, std::size_t count);
  /// Bytes appended so far.
  std::uint64_t size() const { return size_; }
  /// Hands all bytes to the system, as commit() does too; nothing but commit() may follow. For
  /// files that belong together: none takes its name before all are complete. Error(output).
  void close();
  /// Puts the file in place. Error(output).
  void commit();
  const std::string& path() const { return pending_.path(); }
  /// Where it is written meanwhile.
  const std::string& temporary() const { return pending_.temporary(); }

 private:
  [[noreturn]] void fail() const;
  void write_at(std::uint64_t position, const char* bytes, std::size_t count);
  void send_ahead();

  PendingPath pending_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
  std::uint64_t sent_ = 0;  ///< bytes that are on their way to the disk
};

}  // namespace skde::io

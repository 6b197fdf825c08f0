#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/report/error.hpp"
#include "io/bytes/open_files.hpp"

namespace skde::io {

/// Bytes in order, from a file, standard input or memory. Nothing is memory-mapped, so pipes work
/// and a file that shrinks is an error, not a crash.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Name for messages: the path, or "standard input".
  virtual const std::string& name() const = 0;
  /// Total number of bytes, if known (regular files).
  virtual std::optional<std::uint64_t> size() const { return std::nullopt; }
  /// Copies up to `most` bytes to `to`; returns 0 at the end. Throws Error(input) if reading fails.
  virtual std::size_t read(char* to, std::size_t most) = 0;
  /// Returns true if seek() works, which needs a known size.
  virtual bool seekable() const { return false; }
  /// Makes the next read() begin `position` bytes after the first byte; only if seekable().
  virtual void seek(std::uint64_t /*position*/) {}
  /// Descriptor of the file that these bytes are the whole of, for other programs; -1 if there is
  /// none.
  virtual int descriptor() const { return -1; }
};

/// Returns "standard input" for "-", otherwise the path itself.
std::string source_name(const std::string& path);
/// Opens a file, or standard input for "-". Throws Error(input) if it cannot be opened or is a
/// directory.
std::unique_ptr<ByteSource> open_source(const std::string& path);

/// Returns a source of bytes in memory, which must outlive it; for tests and fuzzing.
std::unique_ptr<ByteSource> memory_source(std::string name, std::string_view bytes);
/// Returns a source that owns its bytes in memory.
std::unique_ptr<ByteSource> kept_source(std::string name, std::string bytes);

/// A buffer over a source: reads lines and exact numbers of bytes, and peeks ahead.
class BufferedSource {
 public:
  explicit BufferedSource(std::unique_ptr<ByteSource> source, std::size_t buffer_bytes = 1 << 18);
  BufferedSource(BufferedSource&&) noexcept;
  BufferedSource& operator=(BufferedSource&&) noexcept;
  ~BufferedSource();

  const std::string& name() const;
  std::optional<std::uint64_t> size() const;
  /// Number of bytes handed out so far, or the position after the last seek() and later reads.
  std::uint64_t position() const;
  /// Returns at least the next `count` bytes, if the source has them, without consuming them; valid
  /// until the next call.
  std::string_view peek(std::size_t count);
  /// Returns the next line without its end, or an empty optional at the end; valid until the next
  /// call. Lines end in "\n" or "\r\n", or in "\r" if the first line asked for does. Throws
  /// Error(input) if a line is longer than 1 MiB.
  std::optional<std::string_view> line();
  /// Skips the next line, however long it is; returns whether there was one.
  bool skip_line();
  /// Copies up to `most` bytes to `to`; fewer only at the end.
  std::size_t read(char* to, std::size_t most);
  /// Skips `count` bytes; returns how many there were, fewer only at the end.
  std::uint64_t skip(std::uint64_t count);
  bool seekable() const;
  /// See ByteSource::descriptor().
  int descriptor() const;
  /// Continues at `position`; only if seekable().
  void seek(std::uint64_t position);
  /// Bytes from `position` on are read only as far as they are asked for, not ahead.
  void read_ahead_until(std::uint64_t position);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Returns all remaining bytes, for formats that cannot be read from front to end. Throws
/// `too_large` if there are more than 1 GiB.
std::string read_whole(BufferedSource& source, const Error& too_large);

/// Returns the next `count` bytes, fewer only at the end; memory grows with what is read.
std::string read_next(BufferedSource& source, std::uint64_t count);

/// Checks a header's promise of `rows` rows of at least `bytes_a_row` bytes each, from the source's
/// position on, before anything is allocated for them. Throws Error(input) if the bytes that are
/// left cannot hold them, or if the number of bytes does not fit a 64-bit integer. `what` names the
/// rows.
void check_promise(const BufferedSource& source, std::uint64_t rows, std::size_t bytes_a_row,
                   std::string_view what);

/// While this object exists, `meanwhile` is called again and again whenever this thread waits for
/// input from a pipe. An exception that it throws ends the reading. It may be empty.
class InputWait {
 public:
  explicit InputWait(std::function<void()> meanwhile);
  ~InputWait();
  InputWait(const InputWait&) = delete;
  InputWait& operator=(const InputWait&) = delete;

  /// Waits until the descriptor can be read or has ended. Returns at once if no InputWait exists.
  static void wait(int descriptor);

 private:
  std::function<void()> meanwhile_;
};

/// A path by which libraries and other programs open the bytes of a source: those of its file or,
/// if it is none, of a copy in memory.
class ReopenedFile {
 public:
  /// The source is at its first byte. Throws Error(resources) if a copy does not fit into memory
  /// and, with the name of a format, Error(input) if it has more than 1 GiB.
  explicit ReopenedFile(BufferedSource source, std::string_view format = {});
  ReopenedFile(const ReopenedFile&) = delete;
  ReopenedFile& operator=(const ReopenedFile&) = delete;
  ~ReopenedFile();

  std::string path() const;
  bool is_copy() const { return copy_ >= 0; }

 private:
  BufferedSource source_;
  int copy_ = -1;
};

}  // namespace skde::io

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/report/error.hpp"
#include "io/bytes/open_files.hpp"

namespace skde::io {

/// Bytes in order, from a file, standard input or memory. Nothing is mapped, so pipes work and a
/// file that shrinks is an error, not a crash.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Name for messages: the path, or "standard input".
  virtual const std::string& name() const = 0;
  /// Bytes in all, where known (regular files).
  virtual std::optional<std::uint64_t> size() const = 0;
  /// Copies up to `most` bytes to `to`; 0 at the end. Error(input) where reading fails.
  virtual std::size_t read(char* to, std::size_t most) = 0;
  /// True where seek() works, which needs a known size.
  virtual bool seekable() const = 0;
  /// The next read() begins `position` bytes after the first byte; only where seekable().
  virtual void seek(std::uint64_t position) = 0;
};

/// "standard input" for "-", otherwise the path itself.
std::string source_name(const std::string& path);
/// A file, or standard input for "-". Error(input) where it cannot be opened or is a directory.
std::unique_ptr<ByteSource> open_source(const std::string& path);

/// Bytes in memory, which must outlive the source; for tests and fuzzing.
std::unique_ptr<ByteSource> memory_source(std::string name, std::string_view bytes);
/// Bytes in memory that the source keeps itself.
std::unique_ptr<ByteSource> kept_source(std::string name, std::string bytes);

/// A buffer over a source: lines, exact counts of bytes, and peeking.
class BufferedSource {
 public:
  explicit BufferedSource(std::unique_ptr<ByteSource> source, std::size_t buffer_bytes = 1 << 18);
  BufferedSource(BufferedSource&&) noexcept;
  BufferedSource& operator=(BufferedSource&&) noexcept;
  ~BufferedSource();

  const std::string& name() const;
  std::optional<std::uint64_t> size() const;
  /// Bytes handed out so far, or where the last seek() and the bytes since then lead.
  std::uint64_t position() const;
  /// At least `count` bytes ahead where the source has them, without taking them; valid until the
  /// next call.
  std::string_view peek(std::size_t count);
  /// The next line without its end ("\n" or "\r\n"; "\r" where the first line asked for ends so),
  /// valid until the next call; empty optional at the end. Error(input) where a line is longer than
  /// 1 MiB.
  std::optional<std::string_view> line();
  /// Passes over the next line, however long it is, and returns whether there was one.
  bool skip_line();
  /// Up to `most` bytes copied to `to`; fewer only at the end.
  std::size_t read(char* to, std::size_t most);
  /// Passes over `count` bytes; returns how many there were, fewer only at the end.
  std::uint64_t skip(std::uint64_t count);
  bool seekable() const;
  /// Goes on at `position`; only where seekable().
  void seek(std::uint64_t position);

 private:
  friend std::unique_ptr<ByteSource> seekable_bytes(BufferedSource source, const Error& too_large);
  struct State;
  std::unique_ptr<State> state_;
};

/// The same bytes without a buffer, for who seeks before each read: the source's own, or, where
/// that is not seekable, all of them in memory. Throws `too_large` as read_whole() does.
std::unique_ptr<ByteSource> seekable_bytes(BufferedSource source, const Error& too_large);

/// All bytes that are left, for formats that cannot be read from front to end. Throws `too_large`
/// where they are more than 1 GiB.
std::string read_whole(BufferedSource& source, const Error& too_large);

}  // namespace skde::io

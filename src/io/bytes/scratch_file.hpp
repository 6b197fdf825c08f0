#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "io/bytes/placed_writes.hpp"

namespace skde::io {

/// A file for intermediate results. It has no name once it is open, so that it is gone however the
/// process ends.
class ScratchFile {
 public:
  /// Creates it with this size in the folder of `beside`, a path. Throws Error(output) if that
  /// fails.
  ScratchFile(const std::string& beside, std::uint64_t bytes);
  ~ScratchFile();
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  // Any thread may read and write. Both throw Error(output) if they fail.

  void write(std::uint64_t position, const void* bytes, std::size_t count);
  void read(std::uint64_t position, void* to, std::size_t count) const;

 private:
  [[noreturn]] void fail(int problem) const;

  std::string place_;
  int descriptor_ = -1;
  std::unique_ptr<PlacedWrites> placed_;
};

}  // namespace skde::io

#pragma once

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <thread>

namespace skde::io {

/// Overwrites bytes at a place of an open file. Returns 0, or the error number of the system.
int write_all(int descriptor, std::uint64_t position, const char* bytes, std::size_t count);

/// Writes of several threads at places of one file. Linux lets one thread at a time write to a
/// file, which costs nothing on a disk, but halves the speed where the file is in memory (tmpfs).
/// Such a file is mapped, so that each thread fills its own pages; a thread of its own reserves
/// them ahead.
class PlacedWrites {
 public:
  /// The file must have `bytes` bytes, and be open for reading and writing as long as this lives.
  PlacedWrites(int descriptor, std::uint64_t bytes);
  ~PlacedWrites();
  PlacedWrites(const PlacedWrites&) = delete;
  PlacedWrites& operator=(const PlacedWrites&) = delete;

  /// Overwrites bytes of the file. Returns 0, or the error number of the system, such as ENOSPC.
  int write(std::uint64_t position, const void* bytes, std::size_t count);

 private:
  void reserve(const std::stop_token& stop) const;
  int write_mapped(std::uint64_t position, const char* bytes, std::size_t count);

  int descriptor_;
  std::uint64_t bytes_;
  char* map_ = nullptr;  ///< null where the file is written by calls of the system
  std::jthread reserving_;
};

}  // namespace skde::io

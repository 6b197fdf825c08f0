#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "gpu/check.hpp"
#include "gpu/stream.hpp"

namespace skde::gpu {

/// Copies between pageable host memory and the GPU through pieces of pinned memory. Several threads
/// fill or empty pieces while others are in transfer. The copies use their own stream, so kernels
/// keep running. Only one caller at a time.
class PinnedCopies {
 public:
  /// Upper limit of pinned memory in bytes.
  static constexpr std::size_t kMostBytes = std::size_t{64} << 20;

  /// Uses the current device of the calling thread.
  PinnedCopies();
  ~PinnedCopies();
  PinnedCopies(const PinnedCopies&) = delete;
  PinnedCopies& operator=(const PinnedCopies&) = delete;

  // Both wait until the copy is complete. They throw Error(resources) if it fails.

  void to_device(const void* from, void* to, std::size_t bytes);
  /// The work that writes `from` must be complete.
  void to_host(const void* from, void* to, std::size_t bytes);

 private:
  static constexpr std::size_t kThreads = 8;  ///< more threads do not exceed the speed of the bus
  static constexpr std::size_t kPiecesAThread = 2;
  static constexpr std::size_t kPieceBytes = kMostBytes / (kThreads * kPiecesAThread);

  /// A piece of pinned memory, and the event of its last copy.
  struct Piece {
    std::byte* bytes = nullptr;
    cudaEvent_t copied = nullptr;
  };
  /// Hands out the bytes to copy. Several threads take them in turn, each with two pieces of pinned
  /// memory.
  class Shares;

  void by_threads(std::size_t bytes, const std::function<void(Piece*, Shares&)>& copy);
  void release();

  int device_ = 0;
  std::size_t threads_;
  Stream stream_;
  std::byte* pinned_ = nullptr;
  std::vector<Piece> pieces_;
};

}  // namespace skde::gpu

#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "gpu/check.hpp"
#include "gpu/stream.hpp"

namespace skde::gpu {

/// Copies between ordinary host memory and the GPU by way of pieces of pinned memory, which several
/// threads fill or empty while others travel, on a stream of its own: kernels go on meanwhile. By
/// one caller at a time.
class PinnedCopies {
 public:
  /// Bytes of pinned memory at the most.
  static constexpr std::size_t kMostBytes = std::size_t{64} << 20;

  /// On the device that is current for the calling thread.
  PinnedCopies();
  ~PinnedCopies();
  PinnedCopies(const PinnedCopies&) = delete;
  PinnedCopies& operator=(const PinnedCopies&) = delete;

  // Both wait until all is there. Error(resources) where that fails.

  void to_device(const void* from, void* to, std::size_t bytes);
  /// What is copied must be complete.
  void to_host(const void* from, void* to, std::size_t bytes);

 private:
  static constexpr std::size_t kThreads = 8;  ///< more do not copy faster than the bus
  static constexpr std::size_t kPiecesAThread = 2;
  static constexpr std::size_t kPieceBytes = kMostBytes / (kThreads * kPiecesAThread);

  /// A piece of pinned memory, and the copy that it was last part of.
  struct Piece {
    std::byte* bytes = nullptr;
    cudaEvent_t copied = nullptr;
  };
  /// Calls copy(pieces, first) for every piece of so many bytes: by several threads, each with two
  /// pieces of pinned memory, in turn.
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

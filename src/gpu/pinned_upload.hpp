#pragma once

#include <atomic>
#include <cstddef>
#include <span>
#include <vector>

#include "gpu/device_buffer.hpp"
#include "gpu/stream.hpp"

namespace skde::gpu {

/// Copies ordinary host memory to the GPU through pieces of pinned memory, which several threads
/// fill while others travel, on a stream of its own: kernels go on meanwhile.
class PinnedUpload {
 public:
  /// Bytes of pinned memory at the most.
  static constexpr std::size_t kMostBytes = std::size_t{64} << 20;

  /// On the device that is current for the calling thread.
  PinnedUpload();
  ~PinnedUpload();
  PinnedUpload(const PinnedUpload&) = delete;
  PinnedUpload& operator=(const PinnedUpload&) = delete;

  /// Copies and waits until all is there; `to` must be as large as `from`. Error(resources) where
  /// it fails.
  void copy(std::span<const double> from, DeviceBuffer<double>& to);

 private:
  static constexpr std::size_t kThreads = 8;  ///< more do not copy faster than the bus
  static constexpr std::size_t kPiecesAThread = 2;
  static constexpr std::size_t kPieceBytes = kMostBytes / (kThreads * kPiecesAThread);
  static constexpr std::size_t kPiece = kPieceBytes / sizeof(double);

  void copy_pieces(std::size_t thread, std::atomic<std::size_t>& next, std::span<const double> from,
                   DeviceBuffer<double>& to);
  void release();

  int device_ = 0;
  std::size_t threads_;
  Stream stream_;
  double* pinned_ = nullptr;
  std::vector<cudaEvent_t> copied_;  ///< that a piece may be filled again
};

}  // namespace skde::gpu

#include "gpu/pinned_copies.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <optional>
#include <thread>

#include "core/report/thread_room.hpp"

namespace skde::gpu {

/// Hands out the bytes that no thread has begun to copy.
class PinnedCopies::Shares {
 public:
  struct Share {
    std::size_t first = 0, bytes = 0;
  };
  explicit Shares(std::size_t bytes) : bytes_(bytes) {}

  std::optional<Share> next() {
    const std::size_t first = next_.fetch_add(kPieceBytes);
    if (first >= bytes_) return std::nullopt;
    return Share{first, std::min(kPieceBytes, bytes_ - first)};
  }
  /// Ends the work after a failure.
  void stop() { next_ = bytes_; }

 private:
  std::size_t bytes_;
  std::atomic<std::size_t> next_ = 0;
};

PinnedCopies::PinnedCopies()
    : threads_(std::min(static_cast<std::size_t>(thread_count(0)), kThreads)) {
  check(cudaGetDevice(&device_), "find the current device");
  const std::size_t pieces = threads_ * kPiecesAThread;
  try {
    check(cudaMallocHost(reinterpret_cast<void**>(&pinned_), pieces * kPieceBytes),
          "allocate pinned memory");
    pieces_.resize(pieces);
    for (std::size_t i = 0; i < pieces; ++i) {
      pieces_[i].bytes = pinned_ + i * kPieceBytes;
      // Threads that wait for an event sleep, because the cores have files to read.
      check(cudaEventCreateWithFlags(&pieces_[i].copied,
                                     cudaEventDisableTiming | cudaEventBlockingSync),
            "create an event");
    }
  } catch (...) {
    release();
    throw;
  }
}

PinnedCopies::~PinnedCopies() { release(); }

void PinnedCopies::release() {
  for (const Piece& piece : pieces_)
    if (piece.copied) cudaEventDestroy(piece.copied);
  if (pinned_) cudaFreeHost(pinned_);
}

void PinnedCopies::by_threads(std::size_t bytes, const std::function<void(Piece*, Shares&)>& copy) {
  Shares shares(bytes);
  FirstFailure failure;
  const auto work = [&](std::size_t thread) {
    failure.keep([&] {
      check(cudaSetDevice(device_), "select the device");
      copy(&pieces_[thread * kPiecesAThread], shares);
    });
    if (failure.any()) shares.stop();
  };
  {
    std::vector<std::jthread> others;
    const std::size_t pieces = (bytes + kPieceBytes - 1) / kPieceBytes;
    for (std::size_t thread = 1; thread < std::min(threads_, pieces); ++thread)
      others.emplace_back(work, thread);
    work(0);
  }
  failure.rethrow();
  stream_.wait();
}

void PinnedCopies::to_device(const void* from, void* to, std::size_t bytes) {
  const auto* const source = static_cast<const std::byte*>(from);
  auto* const target = static_cast<std::byte*>(to);
  by_threads(bytes, [&](Piece* own, Shares& shares) {
    for (std::size_t turn = 0; const auto share = shares.next(); ++turn) {
      const Piece& piece = own[turn % kPiecesAThread];
      check(cudaEventSynchronize(piece.copied), "wait for a copy to the GPU");
      std::memcpy(piece.bytes, source + share->first, share->bytes);
      check(cudaMemcpyAsync(target + share->first, piece.bytes, share->bytes,
                            cudaMemcpyHostToDevice, stream_.get()),
            "copy to the GPU");
      check(cudaEventRecord(piece.copied, stream_.get()), "record an event");
    }
  });
}

void PinnedCopies::to_host(const void* from, void* to, std::size_t bytes) {
  const auto* const source = static_cast<const std::byte*>(from);
  auto* const target = static_cast<std::byte*>(to);
  by_threads(bytes, [&](Piece* own, Shares& shares) {
    std::optional<Shares::Share> travelling;
    const auto take = [&](const Piece& piece) {
      if (!travelling) return;
      check(cudaEventSynchronize(piece.copied), "wait for a copy from the GPU");
      std::memcpy(target + travelling->first, piece.bytes, travelling->bytes);
    };
    std::size_t turn = 0;
    while (const auto share = shares.next()) {
      const Piece& piece = own[turn % kPiecesAThread];
      check(cudaMemcpyAsync(piece.bytes, source + share->first, share->bytes,
                            cudaMemcpyDeviceToHost, stream_.get()),
            "copy from the GPU");
      check(cudaEventRecord(piece.copied, stream_.get()), "record an event");
      take(own[(turn + 1) % kPiecesAThread]);  // the previous piece
      travelling = share;
      ++turn;
    }
    if (turn > 0) take(own[(turn - 1) % kPiecesAThread]);
  });
}

}  // namespace skde::gpu

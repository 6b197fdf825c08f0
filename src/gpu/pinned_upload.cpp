#include "gpu/pinned_upload.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <mutex>
#include <thread>

namespace skde::gpu {

PinnedUpload::PinnedUpload()
    : threads_(std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, kThreads)) {
  check(cudaGetDevice(&device_), "find the current device");
  const std::size_t pieces = threads_ * kPiecesAThread;
  try {
    check(cudaMallocHost(reinterpret_cast<void**>(&pinned_), pieces * kPieceBytes),
          "allocate pinned memory");
    copied_.resize(pieces);
    // Who waits for an event sleeps: the cores have files to read.
    for (cudaEvent_t& event : copied_)
      check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventBlockingSync),
            "create an event");
  } catch (...) {
    release();
    throw;
  }
}

PinnedUpload::~PinnedUpload() { release(); }

void PinnedUpload::release() {
  for (const cudaEvent_t event : copied_)
    if (event) cudaEventDestroy(event);
  if (pinned_) cudaFreeHost(pinned_);
}

/// What one thread does: fills its own pieces in turn, with whatever nobody has begun.
void PinnedUpload::copy_pieces(std::size_t thread, std::atomic<std::size_t>& next,
                               std::span<const double> from, DeviceBuffer<double>& to) {
  check(cudaSetDevice(device_), "select the device");
  for (std::size_t turn = 0;; ++turn) {
    const std::size_t first = next.fetch_add(kPiece);
    if (first >= from.size()) return;
    const std::size_t piece = thread * kPiecesAThread + turn % kPiecesAThread;
    double* const pinned = pinned_ + piece * kPiece;
    const std::size_t bytes = std::min(kPiece, from.size() - first) * sizeof(double);
    check(cudaEventSynchronize(copied_[piece]), "wait for a copy to the GPU");
    std::memcpy(pinned, from.data() + first, bytes);
    check(cudaMemcpyAsync(to.data() + first, pinned, bytes, cudaMemcpyHostToDevice, stream_.get()),
          "copy to the GPU");
    check(cudaEventRecord(copied_[piece], stream_.get()), "record an event");
  }
}

void PinnedUpload::copy(std::span<const double> from, DeviceBuffer<double>& to) {
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::exception_ptr failure;
  const auto work = [&](std::size_t thread) {
    try {
      copy_pieces(thread, next, from, to);
    } catch (...) {
      const std::lock_guard lock(mutex);
      failure = std::current_exception();
      next = from.size();  // the others have nothing left to do
    }
  };
  {
    std::vector<std::jthread> others;
    const std::size_t pieces = (from.size() + kPiece - 1) / kPiece;
    for (std::size_t thread = 1; thread < std::min(threads_, pieces); ++thread)
      others.emplace_back(work, thread);
    work(0);
  }
  if (failure) std::rethrow_exception(failure);
  stream_.wait();
}

}  // namespace skde::gpu

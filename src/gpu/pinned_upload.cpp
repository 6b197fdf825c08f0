#include "gpu/pinned_upload.hpp"

#include <algorithm>
#include <cstring>

namespace skde::gpu {

PinnedUpload::PinnedUpload() {
  for (int side = 0; side < 2; ++side) {
    check(cudaMallocHost(reinterpret_cast<void**>(&pieces_[side]), kPieceBytes),
          "allocate pinned memory");
    check(cudaEventCreateWithFlags(&copied_[side], cudaEventDisableTiming), "create an event");
  }
}

PinnedUpload::~PinnedUpload() {
  for (int side = 0; side < 2; ++side) {
    if (copied_[side]) cudaEventDestroy(copied_[side]);
    if (pieces_[side]) cudaFreeHost(pieces_[side]);
  }
}

void PinnedUpload::copy(std::span<const double> from, DeviceBuffer<double>& to) {
  constexpr std::size_t kPiece = kPieceBytes / sizeof(double);
  int side = 0;
  for (std::size_t first = 0; first < from.size(); first += kPiece, side = 1 - side) {
    const std::size_t bytes = std::min(kPiece, from.size() - first) * sizeof(double);
    check(cudaEventSynchronize(copied_[side]), "wait for a copy to the GPU");
    std::memcpy(pieces_[side], from.data() + first, bytes);
    check(cudaMemcpyAsync(to.data() + first, pieces_[side], bytes, cudaMemcpyHostToDevice,
                          stream_.get()),
          "copy to the GPU");
    check(cudaEventRecord(copied_[side], stream_.get()), "record an event");
  }
  stream_.wait();
}

}  // namespace skde::gpu

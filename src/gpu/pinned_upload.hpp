#pragma once

#include <cstddef>
#include <span>

#include "gpu/device_buffer.hpp"
#include "gpu/stream.hpp"

namespace skde::gpu {

/// Copies ordinary host memory to the GPU through two pinned buffers, one being filled while the
/// other travels, on a stream of its own: kernels go on meanwhile.
class PinnedUpload {
 public:
  PinnedUpload();
  ~PinnedUpload();
  PinnedUpload(const PinnedUpload&) = delete;
  PinnedUpload& operator=(const PinnedUpload&) = delete;

  /// Copies and waits until all is there; `to` must be as large as `from`.
  void copy(std::span<const double> from, DeviceBuffer<double>& to);

 private:
  static constexpr std::size_t kPieceBytes = std::size_t{16} << 20;

  Stream stream_;
  double* pieces_[2] = {};
  cudaEvent_t copied_[2] = {};
};

}  // namespace skde::gpu

#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

#include "engines/engine.hpp"
#include "gpu/device_buffer.hpp"
#include "gpu/device_info.hpp"
#include "gpu/pinned_copies.hpp"
#include "gpu/stream.hpp"

namespace skde {

/// A CUDA device and the stream that an engine works on. The first call of start() starts it. An
/// engine's samples and values share it, so that they may outlive the engine.
class CudaDevice {
 public:
  explicit CudaDevice(const EngineOptions& options) : index_(options.device) {}

  int index() const { return index_; }
  /// Makes the device current for the calling thread. Throws Error(resources) if it does not exist.
  void start();
  /// stream() and info() are valid after start().
  const gpu::Stream& stream() const { return *stream_; }
  const gpu::DeviceInfo& info() const { return info_; }
  /// Copies `from` to `to` on a stream of its own, and waits. `to` grows as needed. Any thread may
  /// call it; copies run one at a time.
  void upload(std::span<const double> from, gpu::DeviceBuffer<double>& to);
  /// Waits for the stream, then copies `bytes` of its results to host memory.
  void download(const void* from, void* to, std::size_t bytes);

 private:
  gpu::PinnedCopies& pinned();

  int index_;
  std::mutex mutex_;  // samples may be loaded on another thread than the run's
  gpu::DeviceInfo info_;
  std::optional<gpu::Stream> stream_;
  std::mutex copy_mutex_;
  std::unique_ptr<gpu::PinnedCopies> pinned_;
};

}  // namespace skde

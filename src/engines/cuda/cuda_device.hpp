#pragma once

#include <cstddef>
#include <cstdint>
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

/// A CUDA device and the stream that an engine works on; started by the first call of start().
/// Samples and values that an engine made share it, so that they may outlive the engine.
class CudaDevice {
 public:
  explicit CudaDevice(const EngineOptions& options) : index_(options.device) {}

  int index() const { return index_; }
  /// Makes the device current for the calling thread. Error(resources) where it is not there.
  void start();
  /// These two after start().
  const gpu::Stream& stream() const { return *stream_; }
  const gpu::DeviceInfo& info() const { return info_; }
  /// Copies `from` to `to`, which grows to hold it, on a stream of its own, and waits; by any
  /// thread, one at a time.
  void upload(std::span<const double> from, gpu::DeviceBuffer<double>& to);
  /// Copies bytes that the stream has been asked for to host memory, and waits.
  void download(const void* from, void* to, std::size_t bytes);

 private:
  gpu::PinnedCopies& pinned();

  int index_;
  std::mutex mutex_;  // samples are loaded by another thread than the one that runs
  gpu::DeviceInfo info_;
  std::optional<gpu::Stream> stream_;
  std::mutex copy_mutex_;
  std::unique_ptr<gpu::PinnedCopies> pinned_;
};

}  // namespace skde

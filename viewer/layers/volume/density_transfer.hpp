#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "viewer/layers/volume/volume_histogram.hpp"
#include "viewer/layers/volume/volume_texture.hpp"

namespace skde {

class ValueBuffer;

}  // namespace skde

namespace skde::view {

class CudaTextureCopy;

/// Moves a density from its engine into the drawn texture, and finds the bricks' ranges and the
/// histogram. The copy stays within the card's memory
/// if a CUDA engine computed the density on the card that draws; otherwise it goes through host
/// memory. Belongs to the thread of the GL context.
class DensityTransfer {
 public:
  /// `device` is the index of the engines' CUDA device. Without `interop`, uses host memory.
  explicit DensityTransfer(int device, bool interop = true);
  ~DensityTransfer();

  /// Fills the texture, with fewer cells if the card cannot draw so many, and the bricks; returns
  /// the histogram. If sharing memory fails, uses host memory from then on; reason() says why.
  Histogram fill(ValueBuffer& buffer, VolumeTexture& texture, BrickGrid& bricks);
  /// Counts the values of another volume; see VolumeHistogram.
  Histogram count(const VolumeTexture& texture, const PositiveRange& range) {
    return histogram_.count(texture, range);
  }
  /// Returns how many cells along each axis the last fill() has drawn as one, because the card can
  /// draw no more.
  const Reduction& reduction() const { return reduction_; }
  /// Returns the path of the last fill(): "CUDA-GL interop" or "from host memory".
  const std::string& path() const { return path_; }
  /// Returns why densities of CUDA engines go through host memory; empty if they do not.
  const std::string& reason() const { return reason_; }
  /// Returns all bytes in use on the CUDA device after the last fill(), if there is a device.
  std::optional<double> device_bytes() const { return device_bytes_; }

 private:
  Histogram fill_from_host(ValueBuffer& buffer, VolumeTexture& texture, BrickGrid& bricks);

  [[maybe_unused]] int device_;
  std::unique_ptr<CudaTextureCopy> copy_;
  VolumeHistogram histogram_;
  std::string path_, reason_;
  TextureLimits limits_ = texture_limits();
  Reduction reduction_{1, 1, 1};
  /// Total memory of the CUDA device; 0 until queried.
  [[maybe_unused]] std::size_t device_memory_ = 0;
  std::optional<double> device_bytes_;
};

}  // namespace skde::view

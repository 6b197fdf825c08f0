#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "engines/engine.hpp"
#include "viewer/volume/volume_texture.hpp"

namespace skde::view {

class CudaTextureCopy;

/// How a density gets from its engine into the texture that is drawn: within the card's memory
/// where a CUDA engine computed it on the card that draws, or else from host memory. Belongs to the
/// thread of the GL context.
class DensityTransfer {
 public:
  /// `device`: index of the CUDA device of the engines. `interop` false: always by host memory.
  explicit DensityTransfer(int device, bool interop = true);
  ~DensityTransfer();

  /// Fills the texture. Where sharing memory fails, says why from then on and goes by host memory.
  void fill(ValueBuffer& buffer, VolumeTexture& texture);
  /// "CUDA-GL interop" or "from host memory": the way of the last fill().
  const std::string& path() const { return path_; }
  /// Why densities of CUDA engines go by host memory; empty where they do not.
  const std::string& reason() const { return reason_; }
  /// Bytes of the CUDA device in use by anyone after the last fill(); none without such a device.
  std::optional<double> device_bytes() const { return device_bytes_; }

 private:
  void fill_from_host(ValueBuffer& buffer, VolumeTexture& texture);

  int device_;
  std::unique_ptr<CudaTextureCopy> copy_;
  std::string path_, reason_;
  std::size_t device_memory_ = 0;  ///< of the CUDA device in all; 0 before it is asked
  std::optional<double> device_bytes_;
};

}  // namespace skde::view

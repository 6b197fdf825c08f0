#pragma once

#include <glad/gl.h>

#include <memory>
#include <string>

#include "engines/engine.hpp"
#include "viewer/layers/volume/volume_histogram.hpp"
#include "viewer/layers/volume/volume_texture.hpp"

struct cudaGraphicsResource;

namespace skde::view {

/// Writes densities from a CUDA engine's buffer to the drawn texture, within the graphics card's
/// memory. The same pass finds the bricks' ranges and the histogram. Only built with CUDA. Belongs
/// to the thread of the GL context.
class CudaTextureCopy {
 public:
  CudaTextureCopy();
  ~CudaTextureCopy();
  CudaTextureCopy(const CudaTextureCopy&) = delete;
  CudaTextureCopy& operator=(const CudaTextureCopy&) = delete;

  /// Returns why the current context's card is not CUDA device `device`; empty if it is.
  static std::string refusal(int device);
  /// Returns true if this can copy the density: floats of a CUDA engine.
  static bool serves(ValueBuffer& buffer);
  /// Copies the values to the texture, and returns their histogram; returns when all is written.
  /// Throws Error(resources).
  Histogram copy(ValueBuffer& buffer, VolumeTexture& texture, BrickGrid& bricks);
  /// Releases the textures, which may be deleted afterwards.
  void release();

 private:
  /// A texture that CUDA may write to.
  struct Shared {
    cudaGraphicsResource* resource = nullptr;
    GLuint attached = 0;

    void attach(GLuint texture);
    void release();
  };
  struct Memory;

  Shared values_, means_, ranges_;
  std::unique_ptr<Memory> memory_;  ///< made at the first copy
};

}  // namespace skde::view

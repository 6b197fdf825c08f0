#pragma once

#include <glad/gl.h>

#include <string>

#include "engines/engine.hpp"
#include "viewer/volume/volume_texture.hpp"

struct cudaGraphicsResource;

namespace skde::view {

/// Copies densities from a CUDA engine's buffer to the drawn texture, within the graphics card's
/// memory. Only built with CUDA. Belongs to the thread of the GL context.
class CudaTextureCopy {
 public:
  CudaTextureCopy() = default;
  ~CudaTextureCopy();
  CudaTextureCopy(const CudaTextureCopy&) = delete;
  CudaTextureCopy& operator=(const CudaTextureCopy&) = delete;

  /// Returns why the current context's card is not CUDA device `device`; empty if it is.
  static std::string refusal(int device);
  /// Returns true if this can copy the density: floats of a CUDA engine.
  static bool serves(ValueBuffer& buffer);
  /// Copies the values to the texture; returns when it holds them. Throws Error(resources).
  void copy(ValueBuffer& buffer, VolumeTexture& texture);
  /// Releases the texture, which may be deleted afterwards.
  void release();

 private:
  void attach(GLuint texture);

  cudaGraphicsResource* resource_ = nullptr;
  GLuint attached_ = 0;
};

}  // namespace skde::view

#pragma once

#include <glad/gl.h>

#include <string>

#include "engines/engine.hpp"
#include "viewer/volume/volume_texture.hpp"

struct cudaGraphicsResource;

namespace skde::view {

/// Copies densities within the memory of a graphics card, from where a CUDA engine left them to
/// the texture that is drawn. Built with CUDA alone. Belongs to the thread of the GL context.
class CudaTextureCopy {
 public:
  CudaTextureCopy() = default;
  ~CudaTextureCopy();
  CudaTextureCopy(const CudaTextureCopy&) = delete;
  CudaTextureCopy& operator=(const CudaTextureCopy&) = delete;

  /// Why the current context's card is not CUDA device `device`; empty where it is.
  static std::string refusal(int device);
  /// True where the density is one that this can copy: floats of a CUDA engine.
  static bool serves(ValueBuffer& buffer);
  /// Returns when the texture holds the values of `buffer`. Throws Error(resources).
  void copy(ValueBuffer& buffer, VolumeTexture& texture);
  /// Lets go of the texture, which may be deleted afterwards.
  void release();

 private:
  void attach(GLuint texture);

  cudaGraphicsResource* resource_ = nullptr;
  GLuint attached_ = 0;
};

}  // namespace skde::view

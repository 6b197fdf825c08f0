#pragma once

#include <span>

#include "core/grid.hpp"
#include "core/volume.hpp"
#include "viewer/gl/objects.hpp"

namespace skde::view {

/// A density on the graphics card: one float a cell, x fastest, in a 3-D texture. The texture's
/// values times unit() are the density.
class VolumeTexture {
 public:
  /// Makes room for the grid's values, which are undefined until someone writes them. A texture of
  /// these dims stays the same object. Throws Error(resources) where the card cannot hold it; what
  /// was there stays.
  void reserve(const Grid& grid);
  /// Copies a volume from host memory; values outside the range of float are scaled into it.
  void upload(const Volume& volume);
  /// The values as floats, in the density's units.
  Volume read_back() const;

  /// False before the first reserve() or upload().
  explicit operator bool() const { return static_cast<bool>(texture_); }
  const gl::Texture& texture() const { return texture_; }
  const Grid& grid() const { return grid_; }
  glm::ivec3 dims() const { return texture_.size(); }
  /// True where reserve(grid) would make another texture.
  bool dims_differ(const Grid& grid) const;
  double unit() const { return unit_; }

 private:
  void upload_slices(const float* values, int first, int count) const;
  /// Divided by the unit.
  template <class Real>
  void upload_scaled(std::span<const Real> values);

  Grid grid_;
  gl::Texture texture_;
  double unit_ = 1;
};

}  // namespace skde::view

#pragma once

#include <span>

#include "core/space/grid.hpp"
#include "core/space/volume.hpp"
#include "viewer/gl/objects.hpp"

namespace skde::view {

/// A density on the graphics card: a 3-D texture with one float per cell, x fastest. The density is
/// the texture's values times unit(). A second texture may have the means of 2^3 cells.
class VolumeTexture {
 public:
  /// Allocates the grid's values, which are undefined until written. If the dims are unchanged, the
  /// texture object stays the same. Throws Error(resources) if the card cannot hold it; the old
  /// contents then stay.
  /// With `means`, which requires even dims, also those of 2^3 cells.
  void reserve(const Grid& grid, bool means = false);
  /// Tells that the means of 2^3 cells were written too.
  void means_written() { has_means_ = true; }
  bool has_means() const { return has_means_; }
  const gl::Texture& means() const { return means_; }
  /// Copies a volume from host memory; values outside the range of float are scaled into it.
  void upload(const Volume& volume);
  /// Returns the values as floats, in the density's units.
  Volume read_back() const;

  /// Returns the value at a place (world units) by trilinear interpolation between cell centres;
  /// beyond the outermost centres it is that of the nearest place between them. Waits for the card.
  double value_at(Vec3 world) const;

  /// False before the first reserve() or upload().
  explicit operator bool() const { return static_cast<bool>(texture_); }
  const gl::Texture& texture() const { return texture_; }
  const Grid& grid() const { return grid_; }
  glm::ivec3 dims() const { return texture_.size(); }
  /// Returns true if reserve() would not create another texture.
  bool fits(const Grid& grid, bool means) const;
  double unit() const { return unit_; }

 private:
  void upload_slices(const float* values, int first, int count) const;
  /// Uploads the values divided by the unit.
  template <class Real>
  void upload_scaled(std::span<const Real> values);

  Grid grid_;
  gl::Texture texture_, means_;
  double unit_ = 1;
  bool has_means_ = false;
};

}  // namespace skde::view

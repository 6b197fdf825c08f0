#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/space/grid.hpp"
#include "core/space/volume.hpp"
#include "viewer/gl/objects.hpp"
#include "viewer/gl/shader_program.hpp"
#include "viewer/layers/volume/volume_look.hpp"

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

/// The largest volumes that the graphics card can draw; plain values, usable in any thread.
struct TextureLimits {
  std::int64_t side = 0;   ///< cells along an axis
  std::int64_t cells = 0;  ///< cells in total

  /// Throws Error(resources) if the card cannot have a texture for the grid.
  void require(const Grid& grid) const;
};

/// Returns the limits of the current context.
TextureLimits texture_limits();

/// Cells along each axis that are drawn as one.
using Reduction = std::array<std::int64_t, 3>;

/// Returns the least reduction, by whole numbers of cells, with which the card can draw the grid:
/// {1, 1, 1} if it can draw it as it is.
Reduction reduction_for(const Grid& grid, const TextureLimits& limits);
/// Returns the volume of the means of so many cells along each axis; cells beyond the box count as
/// 0, so that the mass stays, and so do values that are not finite.
Volume reduced(const Volume& volume, const Reduction& by);

/// Range of the positive values of a volume; both are 0 if there are none.
struct PositiveRange {
  double least = 0, greatest = 0;
  friend bool operator==(const PositiveRange&, const PositiveRange&) = default;
};

/// The range of values in each brick of 8^3 cells, including the neighbouring cells that trilinear
/// filtering reads. It is a texture of (least, greatest) in the volume texture's units.
class BrickGrid {
 public:
  static constexpr int kBrickCells = 8;

  void update(const VolumeTexture& volume);
  /// Makes the texture of ranges for a volume; they are undefined until they are written.
  void reserve(const VolumeTexture& volume);
  /// Tells that the ranges were written, and the range of the positive values.
  void filled(const PositiveRange& positive);
  /// Returns a number that changes with each update.
  int version() const { return version_; }
  const gl::Texture& ranges() const { return ranges_; }
  glm::ivec3 bricks() const { return ranges_.size(); }
  /// Returns the range of the positive values, in the density's units. The first call after an
  /// update waits for the card.
  PositiveRange positive_range() const;

 private:
  gl::ShaderProgram program_{"brick_range.comp"};
  gl::Texture ranges_;
  gl::Buffer positive_;
  double unit_ = 1;
  mutable std::optional<PositiveRange> positive_range_{PositiveRange{}};  ///< none until it is read
  int version_ = 0;
};

/// Returns the colour between entries of a table at a share of it, 0..1.
glm::vec4 color_at(const std::vector<glm::vec4>& colors, double share);

/// The colours and opacities of a look as a 1-D texture over its axis. A texel holds an sRGB colour
/// and -log2 of the transmittance of a layer of 1/100 of the box's diagonal.
class LookTexture {
 public:
  static constexpr int kTexels = 1024;

  /// Does nothing if colours and axis are those of the last update.
  void update(const VolumeLook& look);
  const gl::Texture& texture() const { return texture_; }
  /// Sums over the texels before each one, kTexels + 1 pairs: how many are not fully transparent,
  /// and how much the layer's opacity and its colour times the opacity change from texel to texel.
  const gl::Buffer& sums_before() const { return sums_before_; }
  /// Sets the uniforms of value_axis.glsl, which map values to the texture. Values are multiples of
  /// `unit`.
  void set_axis(const gl::ShaderProgram& program, double unit) const;

 private:
  std::vector<glm::vec4> colors_;
  ValueAxis axis_;
  gl::Texture texture_{GL_RGBA16F, kTexels};
  gl::Buffer sums_before_;
};

}  // namespace skde::view

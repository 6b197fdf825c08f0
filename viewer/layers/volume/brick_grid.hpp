#pragma once

#include <optional>

#include "viewer/gl/objects.hpp"
#include "viewer/gl/shader_program.hpp"
#include "viewer/layers/volume/volume_texture.hpp"

namespace skde::view {

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

}  // namespace skde::view

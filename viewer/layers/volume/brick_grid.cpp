#include "viewer/layers/volume/brick_grid.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <span>

namespace skde::view {

void BrickGrid::reserve(const VolumeTexture& volume) {
  const glm::ivec3 bricks = (volume.dims() + kBrickCells - 1) / kBrickCells;
  if (ranges_ && ranges_.size() == bricks) return;
  ranges_ = gl::Texture(GL_RG32F, bricks);
  ranges_.filter(GL_NEAREST);
}

void BrickGrid::filled(const PositiveRange& positive) {
  positive_range_ = positive;
  ++version_;
}

void BrickGrid::update(const VolumeTexture& volume) {
  reserve(volume);
  const std::array<std::uint32_t, 2> none{~0U, 0U};
  positive_.assign(std::span<const std::uint32_t>(none));
  positive_range_.reset();
  unit_ = volume.unit();
  ++version_;

  program_.use();
  program_.set("brick_cells", kBrickCells);
  volume.texture().bind(0);
  ranges_.bind_image(0, GL_WRITE_ONLY);
  positive_.bind_storage(0);
  gl::dispatch(
      bricks(), glm::ivec3(1),
      GL_TEXTURE_FETCH_BARRIER_BIT | GL_SHADER_STORAGE_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT);
}

PositiveRange BrickGrid::positive_range() const {
  if (positive_range_) return *positive_range_;
  std::array<std::uint32_t, 2> bits{};
  glGetNamedBufferSubData(positive_.id(), 0, sizeof bits, bits.data());
  positive_range_ = PositiveRange{};
  if (bits[1] == 0) return *positive_range_;
  positive_range_ = {static_cast<double>(std::bit_cast<float>(bits[0])) * unit_,
                     static_cast<double>(std::bit_cast<float>(bits[1])) * unit_};
  return *positive_range_;
}

}  // namespace skde::view

#include "viewer/layers/volume/volume_texture.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "viewer/layers/volume/texture_limits.hpp"

namespace skde::view {
namespace {

glm::ivec3 checked_dims(const Grid& grid) {
  static const TextureLimits kLimits = texture_limits();
  kLimits.require(grid);
  const auto [nx, ny, nz] = grid.dims;
  return {static_cast<int>(nx), static_cast<int>(ny), static_cast<int>(nz)};
}

template <class Real>
double greatest_finite(std::span<const Real> values) {
  double greatest = 0;
  for (const Real value : values)
    if (std::isfinite(value)) greatest = std::max(greatest, static_cast<double>(value));
  return greatest;
}

/// Returns a power of two that scales the greatest value into the range of float, with room for
/// values of a millionth of it; 1 if it is in range already.
double unit_of(const Volume& volume) {
  constexpr double kLeast = 1e-28, kMost = 1e37;
  const double greatest = volume.precision() == Precision::f32
                              ? greatest_finite(volume.values<float>())
                              : greatest_finite(volume.values<double>());
  if (!(greatest > 0) || (greatest >= kLeast && greatest <= kMost)) return 1;
  return std::exp2(std::ilogb(greatest));
}

}  // namespace

bool VolumeTexture::fits(const Grid& grid, bool means) const {
  const glm::ivec3 size = dims();
  return texture_ && grid.dims == std::array<std::int64_t, 3>{size.x, size.y, size.z} &&
         (!means || means_.size() == size / 2);
}

void VolumeTexture::reserve(const Grid& grid, bool means) {
  const glm::ivec3 dims = checked_dims(grid);
  // Created while the old one exists, which stays if the card has no room for another.
  if (!fits(grid, false)) texture_ = gl::Texture(GL_R32F, dims);
  if (means && !fits(grid, true)) means_ = gl::Texture(GL_R32F, dims / 2);
  grid_ = grid;
  unit_ = 1;
  has_means_ = false;
}

void VolumeTexture::upload_slices(const float* values, int first, int count) const {
  const glm::ivec3 size = dims();
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  glTextureSubImage3D(texture_.id(), 0, 0, 0, first, size.x, size.y, count, GL_RED, GL_FLOAT,
                      values);
}

template <class Real>
void VolumeTexture::upload_scaled(std::span<const Real> values) {
  const std::size_t slice = values.size() / static_cast<std::size_t>(dims().z);
  std::vector<float> scaled(slice);
  for (int z = 0; z < dims().z; ++z) {
    const auto from = values.subspan(static_cast<std::size_t>(z) * slice, slice);
    std::transform(from.begin(), from.end(), scaled.begin(), [unit = unit_](Real value) {
      return static_cast<float>(static_cast<double>(value) / unit);
    });
    upload_slices(scaled.data(), z, 1);
  }
}

void VolumeTexture::upload(const Volume& volume) {
  reserve(volume.grid());
  unit_ = unit_of(volume);
  if (volume.precision() == Precision::f64)
    upload_scaled(volume.values<double>());
  else if (unit_ != 1)
    upload_scaled(volume.values<float>());
  else
    upload_slices(volume.values<float>().data(), 0, dims().z);
}

Volume VolumeTexture::read_back() const {
  std::vector<float> values(static_cast<std::size_t>(grid_.cells()));
  const std::size_t slice = values.size() / static_cast<std::size_t>(dims().z);
  glPixelStorei(GL_PACK_ALIGNMENT, 4);
  // Slice by slice, because OpenGL counts bytes in 31 bits.
  for (int z = 0; z < dims().z; ++z)
    glGetTextureSubImage(texture_.id(), 0, 0, 0, z, dims().x, dims().y, 1, GL_RED, GL_FLOAT,
                         static_cast<GLsizei>(slice * sizeof(float)),
                         values.data() + static_cast<std::size_t>(z) * slice);
  if (unit_ != 1)
    for (float& value : values) value = static_cast<float>(value * unit_);
  return {grid_, std::move(values)};
}

double VolumeTexture::value_at(Vec3 world) const {
  glm::ivec3 first(0), count(1);
  glm::dvec3 share(0);
  for (int axis = 0; axis < 3; ++axis) {
    const double last = static_cast<double>(dims()[axis]) - 1;
    const double at = std::clamp(
        (world[axis] - grid_.bounds().lower[axis]) / grid_.spacing[axis] - 0.5, 0.0, last);
    first[axis] = static_cast<int>(std::min(at, std::max(last - 1, 0.0)));
    share[axis] = at - first[axis];
    count[axis] = last > 0 ? 2 : 1;
  }
  std::array<float, 8> cells{};
  glGetTextureSubImage(texture_.id(), 0, first.x, first.y, first.z, count.x, count.y, count.z,
                       GL_RED, GL_FLOAT, sizeof cells, cells.data());
  double sum = 0;
  for (int k = 0, cell = 0; k < count.z; ++k)
    for (int j = 0; j < count.y; ++j)
      for (int i = 0; i < count.x; ++i, ++cell)
        sum += cells[static_cast<std::size_t>(cell)] * (i == 0 ? 1 - share.x : share.x) *
               (j == 0 ? 1 - share.y : share.y) * (k == 0 ? 1 - share.z : share.z);
  return sum * unit_;
}

}  // namespace skde::view

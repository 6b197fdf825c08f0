#include "viewer/layers/volume/volume_texture.hpp"

#include <fmt/core.h>
#include <glad/gl.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <string_view>
#include <utility>

#include "core/report/error.hpp"

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

/// Asks the driver whether it supports a cube with this side; allocates nothing.
bool takes_cube(GLsizei side) {
  glTexImage3D(GL_PROXY_TEXTURE_3D, 0, GL_R32F, side, side, side, 0, GL_RED, GL_FLOAT, nullptr);
  GLint width = 0;
  glGetTexLevelParameteriv(GL_PROXY_TEXTURE_3D, 0, GL_TEXTURE_WIDTH, &width);
  return width == side;
}

bool has_extension(std::string_view name) {
  GLint count = 0;
  glGetIntegerv(GL_NUM_EXTENSIONS, &count);
  for (GLint i = 0; i < count; ++i)
    if (reinterpret_cast<const char*>(glGetStringi(GL_EXTENSIONS, static_cast<GLuint>(i))) == name)
      return true;
  return false;
}

/// Returns the cells that fit in the card's memory, or 0 if its driver does not report the size
/// (GL_NVX_gpu_memory_info).
std::int64_t cells_of_memory() {
  constexpr GLenum kTotalKilobytes = 0x9048;
  if (!has_extension("GL_NVX_gpu_memory_info")) return 0;
  GLint kilobytes = 0;
  glGetIntegerv(kTotalKilobytes, &kilobytes);
  return std::int64_t{kilobytes} * 1024 / static_cast<std::int64_t>(sizeof(float));
}

template <class Real>
Volume means(const Volume& volume, std::span<const Real> values, const Reduction& by) {
  const Grid& from = volume.grid();
  Grid to = from;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    to.dims[axis] = (from.dims[axis] + by[axis] - 1) / by[axis];
    to.spacing[static_cast<int>(axis)] *= static_cast<double>(by[axis]);
  }
  const auto [nx, ny, nz] = from.dims;
  const double share = 1 / static_cast<double>(by[0] * by[1] * by[2]);
  std::vector<Real> all(static_cast<std::size_t>(to.cells()));
  std::vector<double> slice(static_cast<std::size_t>(to.dims[0] * to.dims[1]));
  const Real* value = values.data();
  for (std::int64_t z = 0; z < nz; ++z) {
    for (std::int64_t y = 0; y < ny; ++y) {
      double* const row = slice.data() + y / by[1] * to.dims[0];
      for (std::int64_t x = 0; x < nx; ++x, ++value)
        if (std::isfinite(*value)) row[x / by[0]] += static_cast<double>(*value);
    }
    if ((z + 1) % by[2] != 0 && z + 1 < nz) continue;
    std::ranges::transform(slice, all.begin() + z / by[2] * std::ssize(slice),
                           [&](double sum) { return static_cast<Real>(sum * share); });
    std::ranges::fill(slice, 0.0);
  }
  return {to, std::move(all)};
}

void forget_errors() {
  while (glGetError() != GL_NO_ERROR) continue;
}

constexpr float kMostOpacity = 0.9999F;
constexpr float kLeastExtinction = 1e-6F;  // invisible through any number of layers

/// Returns how much the light of a layer changes between two texels of colour and opacity.
float change_between(glm::vec4 from, glm::vec4 to) {
  const glm::vec3 light = glm::abs(to.a * glm::vec3(to) - from.a * glm::vec3(from));
  return std::max({light.r, light.g, light.b, std::abs(to.a - from.a)});
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

void TextureLimits::require(const Grid& grid) const {
  const auto& n = grid.dims;
  const auto refuse = [&](const std::string& most) {
    throw Error(ErrorKind::resources,
                fmt::format("the graphics card draws volumes of at most {}, not of {} x {} x {}",
                            most, n[0], n[1], n[2]),
                {"dims", "use smaller `dims`"});
  };
  if (std::ranges::max(n) > side) refuse(fmt::format("{} cells along an axis", side));
  if (grid.cells() > cells) refuse(fmt::format("{} cells", cells));
}

Reduction reduction_for(const Grid& grid, const TextureLimits& limits) {
  Reduction by{1, 1, 1};
  const auto left = [&](std::size_t axis) { return (grid.dims[axis] + by[axis] - 1) / by[axis]; };
  for (std::size_t axis = 0; axis < 3; ++axis)
    while (left(axis) > limits.side) ++by[axis];
  while (left(0) * left(1) * left(2) > limits.cells) {
    const std::array<std::int64_t, 3> dims{left(0), left(1), left(2)};
    ++by[static_cast<std::size_t>(std::ranges::max_element(dims) - dims.begin())];
  }
  return by;
}

Volume reduced(const Volume& volume, const Reduction& by) {
  if (volume.precision() == Precision::f32) return means(volume, volume.values<float>(), by);
  return means(volume, volume.values<double>(), by);
}

TextureLimits texture_limits() {
  forget_errors();
  GLint side = 0;
  glGetIntegerv(GL_MAX_3D_TEXTURE_SIZE, &side);
  GLsizei taken = 1, refused = side + 1;
  while (refused - taken > 1) {
    const GLsizei middle = taken + (refused - taken) / 2;
    (takes_cube(middle) ? taken : refused) = middle;
  }
  TextureLimits limits{side, std::int64_t{taken} * taken * taken};
  if (const std::int64_t room = cells_of_memory(); room > 0)
    limits.cells = std::min(limits.cells, room);
  forget_errors();
  return limits;
}

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

glm::vec4 color_at(const std::vector<glm::vec4>& colors, double share) {
  const double position = share * static_cast<double>(colors.size() - 1);
  const std::size_t i = std::min(static_cast<std::size_t>(position), colors.size() - 2);
  return glm::mix(colors[i], colors[i + 1], static_cast<float>(position - static_cast<double>(i)));
}

void LookTexture::update(const VolumeLook& look) {
  axis_ = look.axis;
  if (look.colors == colors_) return;
  colors_ = look.colors;
  std::vector<glm::vec4> texels(kTexels);
  std::vector<glm::vec2> before(kTexels + 1, glm::vec2(0));
  glm::vec4 last = color_at(colors_, 0);
  for (std::size_t i = 0; i < kTexels; ++i) {
    glm::vec4& texel = texels[i];
    texel = color_at(colors_, static_cast<double>(i) / (kTexels - 1));
    const float change = change_between(last, texel);
    last = texel;
    texel.a = -std::log2(1 - std::clamp(texel.a, 0.0F, kMostOpacity));
    before[i + 1] = before[i] + glm::vec2(texel.a > kLeastExtinction ? 1 : 0, change);
  }
  glTextureSubImage1D(texture_.id(), 0, 0, kTexels, GL_RGBA, GL_FLOAT, texels.data());
  sums_before_.assign(std::span<const glm::vec2>(before));
}

void LookTexture::set_axis(const gl::ShaderProgram& program, double unit) const {
  // The ends of the axis are the centres of the first and the last texel.
  constexpr double kSpan = (kTexels - 1.0) / kTexels, kStart = 0.5 / kTexels;
  const auto measure = [this](double v) { return axis_.logarithmic ? std::log2(v) : v; };
  const double low = measure(axis_.low / unit), high = measure(axis_.high / unit);
  const double scale = kSpan / (high - low);
  program.set("axis_scale", static_cast<float>(scale));
  program.set("axis_start", static_cast<float>(kStart - low * scale));
  program.set("axis_logarithmic", axis_.logarithmic ? 1 : 0);
}

}  // namespace skde::view

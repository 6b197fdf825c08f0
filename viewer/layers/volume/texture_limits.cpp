#include "viewer/layers/volume/texture_limits.hpp"

#include <fmt/core.h>
#include <glad/gl.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/report/error.hpp"

namespace skde::view {
namespace {

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

}  // namespace

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

}  // namespace skde::view

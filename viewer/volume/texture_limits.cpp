#include "viewer/volume/texture_limits.hpp"

#include <fmt/core.h>
#include <glad/gl.h>

#include <algorithm>
#include <string_view>

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

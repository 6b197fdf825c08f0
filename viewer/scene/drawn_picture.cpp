#include "viewer/scene/drawn_picture.hpp"

#include <algorithm>

namespace skde::view {

Picture read_picture(const gl::Framebuffer& framebuffer) {
  const glm::ivec2 size = framebuffer.size();
  Picture picture{size.x, size.y, {}};
  picture.pixels.resize(static_cast<std::size_t>(size.x) * static_cast<std::size_t>(size.y));
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glGetTextureImage(framebuffer.color().id(), 0, GL_RGBA, GL_UNSIGNED_BYTE,
                    static_cast<GLsizei>(sizeof(picture.pixels[0]) * picture.pixels.size()),
                    picture.pixels.data());
  // OpenGL stores the bottom row first.
  for (int y = 0; y < size.y / 2; ++y)
    std::swap_ranges(picture.pixels.begin() + std::ptrdiff_t{y} * size.x,
                     picture.pixels.begin() + std::ptrdiff_t{y + 1} * size.x,
                     picture.pixels.end() - std::ptrdiff_t{y + 1} * size.x);
  return picture;
}

}  // namespace skde::view

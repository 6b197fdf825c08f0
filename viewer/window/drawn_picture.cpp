#include "viewer/window/drawn_picture.hpp"

#include <algorithm>
#include <cstdint>

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

Picture without_ground(const Picture& on_black, const Picture& on_white) {
  Picture picture = on_black;
  for (std::size_t i = 0; i < picture.pixels.size(); ++i) {
    auto& pixel = picture.pixels[i];
    int through = 0;  // of the ground, in 255ths
    for (std::size_t c = 0; c < 3; ++c)
      through = std::max(through, on_white.pixels[i][c] - on_black.pixels[i][c]);
    const int opacity = 255 - std::clamp(through, 0, 255);
    for (std::size_t c = 0; c < 3; ++c)
      pixel[c] = static_cast<std::uint8_t>(
          opacity > 0 ? std::min(255, (pixel[c] * 255 + opacity / 2) / opacity) : 0);
    pixel[3] = static_cast<std::uint8_t>(opacity);
  }
  return picture;
}

}  // namespace skde::view

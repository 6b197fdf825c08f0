#include "viewer/gl/picture_copies.hpp"

#include <algorithm>
#include <cstdint>

namespace skde::view::gl {

void PictureCopies::copy(const Texture& from, const Texture& to, glm::ivec2 place,
                         glm::ivec2 size) const {
  from.bind(0);
  run(to, place, size, true);
}

void PictureCopies::fill(const Texture& picture, glm::vec4 color) const {
  program_.set("color", color);
  run(picture, {0, 0}, picture.size(), false);
}

void PictureCopies::run(const Texture& to, glm::ivec2 place, glm::ivec2 size, bool copies) const {
  constexpr int kGroupSide = 16;  // must match the shader
  program_.set("place", place);
  program_.set("size", size);
  program_.set("copies", copies ? 1 : 0);
  program_.use();
  to.bind_image(0, GL_WRITE_ONLY);
  dispatch({size, 1}, glm::ivec3(kGroupSide),
           GL_FRAMEBUFFER_BARRIER_BIT | GL_TEXTURE_FETCH_BARRIER_BIT |
               GL_SHADER_IMAGE_ACCESS_BARRIER_BIT | GL_TEXTURE_UPDATE_BARRIER_BIT);
}

Picture read_picture(const Framebuffer& framebuffer) {
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

}  // namespace skde::view::gl

#include "viewer/gl/picture_copies.hpp"

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

}  // namespace skde::view::gl

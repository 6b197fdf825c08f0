#pragma once

#include "pictures/picture.hpp"
#include "viewer/gl/objects.hpp"
#include "viewer/gl/shader_program.hpp"

namespace skde::view::gl {

/// Copies and fills 8-bit pictures by a compute shader.
class PictureCopies {
 public:
  /// Copies the lower left `size` pixels of a picture to a place in another one.
  void copy(const Texture& from, const Texture& to, glm::ivec2 place, glm::ivec2 size) const;
  /// Fills a picture with a colour.
  void fill(const Texture& picture, glm::vec4 color) const;

 private:
  void run(const Texture& to, glm::ivec2 place, glm::ivec2 size, bool copies) const;

  ShaderProgram program_{"picture_copy.comp"};
};

/// Reads the picture from a framebuffer; waits for the card.
Picture read_picture(const Framebuffer& framebuffer);
/// Returns the picture whose opacities and colours give these two, of one size, on black and on
/// white.
Picture without_ground(const Picture& on_black, const Picture& on_white);

}  // namespace skde::view::gl

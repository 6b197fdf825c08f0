#pragma once

#include "pictures/picture.hpp"
#include "viewer/gl/objects.hpp"

namespace skde::view {

/// Reads the picture from a framebuffer; waits for the card.
Picture read_picture(const gl::Framebuffer& framebuffer);
/// Returns the picture whose opacities and colours give these two, of one size, on black and on
/// white.
Picture without_ground(const Picture& on_black, const Picture& on_white);

}  // namespace skde::view

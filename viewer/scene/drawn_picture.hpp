#pragma once

#include "pictures/picture.hpp"
#include "viewer/gl/objects.hpp"

namespace skde::view {

/// Reads the picture from a framebuffer; waits for the card.
Picture read_picture(const gl::Framebuffer& framebuffer);

}  // namespace skde::view

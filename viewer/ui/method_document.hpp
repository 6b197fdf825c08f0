#pragma once

#include <string>

#include "viewer/layers/method/method_picture.hpp"

namespace skde::view::ui {

/// Writes a picture of the method of `size` pixels as .svg or .pdf; `scale` is that of letters. The
/// file appears complete or not at all. Throws Error(output) if it cannot be written, and
/// Error(unsupported) in builds without cairo.
void write_method_document(const std::string& path, const MethodPicture& picture, glm::ivec2 size,
                           const MethodLook& look, float scale);

}  // namespace skde::view::ui

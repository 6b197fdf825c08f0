#pragma once

#include <glm/glm.hpp>
#include <string>

#include "viewer/window/view_frame.hpp"

namespace skde::view {

/// Writes the views, `size` pixels without panels, as .svg or .pdf: the method alone as shapes on
/// white, else axes and letters over the picture of the volume. The file appears whole or not at
/// all. Throws Error(output) if it cannot be written, Error(input) if there is no sample whose
/// method could be drawn, Error(resources) or Error(unsupported) in builds without cairo.
void write_document(ViewFrame& frame, ViewSession& session, glm::ivec2 size,
                    const std::string& path);

}  // namespace skde::view

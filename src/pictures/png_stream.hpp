#pragma once

#include <string>

struct _cairo_surface;  // NOLINT(bugprone-reserved-identifier): cairo's name

namespace skde {

/// Writes the pixels of a cairo surface as a PNG file, whole or not at all; throws Error(output).
void write_png(_cairo_surface* surface, const std::string& path);

}  // namespace skde

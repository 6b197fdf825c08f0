#pragma once

#include <string>
#include <string_view>

namespace skde::view {

/// True for names such as "out_%04d.png": one %d, with a width or without, in a PNG's name.
bool is_frame_pattern(std::string_view name);

/// The name of a frame: "out_0007.png" for 7. `pattern` as is_frame_pattern() has it.
std::string frame_path(std::string_view pattern, int frame);

}  // namespace skde::view

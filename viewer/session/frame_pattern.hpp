#pragma once

#include <string>
#include <string_view>

namespace skde::view {

/// Returns true for PNG names with one %d, with or without a width, such as "out_%04d.png".
bool is_frame_pattern(std::string_view name);

/// Returns the name of a frame: "out_0007.png" for 7. `pattern` must satisfy is_frame_pattern().
std::string frame_path(std::string_view pattern, int frame);

}  // namespace skde::view

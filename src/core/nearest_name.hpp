#pragma once

#include <span>
#include <string>
#include <string_view>

namespace skde {

/// The name among `names` with the smallest edit distance to `typed`, or empty where none is near.
std::string_view nearest_name(std::string_view typed, std::span<const std::string_view> names);

/// The tail of a message about an unknown name: "; did you mean 'X'? (one of A, B, C)".
std::string suggestion(std::string_view typed, std::span<const std::string_view> names);

}  // namespace skde

#pragma once

#include <span>
#include <string>
#include <string_view>

namespace skde {

/// The name among `names` with the smallest edit distance to `typed`, or the shortest that `typed`
/// abbreviates ("bw" for "bandwidth"); empty where there is neither.
std::string_view nearest_name(std::string_view typed, std::span<const std::string_view> names);

/// What an error about an unknown name suggests: "did you mean 'X'? (one of A, B, C)".
std::string did_you_mean(std::string_view typed, std::span<const std::string_view> names);

}  // namespace skde

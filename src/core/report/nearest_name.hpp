#pragma once

#include <span>
#include <string>
#include <string_view>

namespace skde {

/// Returns the name with the smallest edit distance to `typed`, or the shortest one that `typed`
/// abbreviates ("bw" for "bandwidth"); empty if there is neither.
std::string_view nearest_name(std::string_view typed, std::span<const std::string_view> names);

/// Returns the suggestion for an unknown name: "did you mean 'X'? (one of A, B, C)".
std::string did_you_mean(std::string_view typed, std::span<const std::string_view> names);

}  // namespace skde

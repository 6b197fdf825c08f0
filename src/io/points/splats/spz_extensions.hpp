#pragma once

#include <string>
#include <string_view>

#include "io/points/splats/splat_cloud.hpp"

namespace skde::io {

/// The most bytes of extensions that are read.
inline constexpr std::size_t kMostExtensionBytes = std::size_t{1} << 20;

/// Applies the extensions of an .spz file: each a type and a length of 32 bits, and so many bytes.
/// That of other axes turns the splats to the usual ones: right, up, back. Unknown ones are named
/// in the note of the splats. Throws Error(input) if a length is wrong, or if axes with z upwards
/// would turn harmonics.
void apply_spz_extensions(const std::string& file, std::string_view records, SplatCloud& splats);

}  // namespace skde::io

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "io/points/splats/splat_cloud.hpp"

namespace skde::io {

/// What the header of .spz says about all splats.
struct SpzHeader {
  std::uint32_t version = 3;
  std::uint32_t count = 0;  ///< of splats
  int bands = 0;
  int fractional_bits = 12;  ///< of coordinates
  std::uint8_t flags = 0;
  std::uint8_t streams = 0;     ///< of version 4
  std::uint32_t table_at = 32;  ///< of version 4: where the sizes of the streams begin
};

/// A quantity of splats as .spz stores it: one after the other, each for all splats.
struct SpzAttribute {
  const char* what;
  /// Bytes a splat.
  std::size_t (*width)(const SpzHeader& header);
  /// Appends the quantity of one splat.
  void (*take)(const SpzHeader& header, const std::uint8_t* bytes, SplatCloud& splats);
  /// Stores the quantity of splat i.
  void (*give)(const SpzHeader& header, const SplatCloud& splats, std::size_t i,
               std::uint8_t* bytes);
};

/// The quantities in the order of the file. Harmonics are last, and have no bytes without bands.
std::span<const SpzAttribute> spz_attributes();

/// The most bytes of extensions that are read.
inline constexpr std::size_t kMostExtensionBytes = std::size_t{1} << 20;

/// Applies the extensions of an .spz file: each a type and a length of 32 bits, and so many bytes.
/// That of other axes turns the splats to the usual ones: right, up, back. Unknown ones are named
/// in the note of the splats. Throws Error(input) if a length is wrong, or if axes with z upwards
/// would turn harmonics.
void apply_spz_extensions(const std::string& file, std::string_view records, SplatCloud& splats);

}  // namespace skde::io

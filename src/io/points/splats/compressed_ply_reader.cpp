#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "core/report/error.hpp"
#include "io/points/readers/ply_header.hpp"
#include "io/points/splats/compressed_ply_values.hpp"
#include "io/points/splats/splat_format_files.hpp"

namespace skde::io {
namespace {

constexpr std::size_t kPackedRowsAtOnce = std::size_t{1} << 14;
constexpr std::array<std::string_view, 18> kRangeNames{
    "min_x",       "min_y",       "min_z",       "max_x",       "max_y",       "max_z",
    "min_scale_x", "min_scale_y", "min_scale_z", "max_scale_x", "max_scale_y", "max_scale_z",
    "min_r",       "min_g",       "min_b",       "max_r",       "max_g",       "max_b"};
constexpr std::size_t kColourRanges = 12;  // the first of them; files may lack them
constexpr std::array<std::string_view, 4> kWordNames{"packed_position", "packed_rotation",
                                                     "packed_scale", "packed_color"};

/// What the elements of a compressed PLY file are, and where their numbers lie in a row.
struct Layout {
  std::uint64_t splats = 0, chunks = 0;
  std::size_t chunk_bytes = 0, word_bytes = 0, harmonic_bytes = 0;  ///< of a row
  std::vector<std::size_t> ranges, words, harmonics;                ///< bytes into a row
  int bands = 0;
};

Error broken(const std::string& name, std::string_view what) {
  return Error(ErrorKind::input, fmt::format("{}: {}; it is broken or no compressed PLY file of "
                                             "Gaussian splats",
                                             name, what));
}

/// Returns where a property lies in a row of an element, or nothing if the element lacks it.
std::optional<std::size_t> offset_of(const PlyElement& element, std::string_view name,
                                     ScalarType type) {
  std::size_t offset = 0;
  for (const PlyProperty& property : element.properties) {
    if (property.name == name && property.type == type) return offset;
    offset += size_of(property.type);
  }
  return std::nullopt;
}

std::size_t required_offset(const std::string& file, const PlyElement& element,
                            std::string_view name, ScalarType type) {
  const auto offset = offset_of(element, name, type);
  if (!offset)
    throw broken(
        file, fmt::format("element {} has no property {} of the right type", element.name, name));
  return *offset;
}

/// Fills in the element of harmonics.
void take_harmonics(const std::string& file, const PlyElement& element, Layout& layout) {
  const std::size_t count = element.properties.size();
  while (layout.bands < 4 &&
         static_cast<std::size_t>(3 * layout.bands * (layout.bands + 2)) < count)
    ++layout.bands;
  if (layout.bands > 3 ||
      static_cast<std::size_t>(3 * layout.bands * (layout.bands + 2)) != count ||
      element.count != layout.splats)
    throw broken(file, fmt::format("element sh has {} properties and {} rows, not 9, 24 or 45 and "
                                   "one row a splat",
                                   count, element.count));
  for (std::size_t k = 0; k < count; ++k)
    layout.harmonics.push_back(
        required_offset(file, element, fmt::format("f_rest_{}", k), ScalarType::u8));
  layout.harmonic_bytes = element.least_row_bytes(PlyEncoding::little_endian);
}

Layout layout_of(const std::string& file, const PlyHeader& header) {
  if (header.encoding != PlyEncoding::little_endian)
    throw broken(file, "its format is not binary_little_endian");
  const auto& elements = header.elements;
  constexpr std::array<std::string_view, 3> kElements{"chunk", "vertex", "sh"};
  if (elements.size() < 2 || elements.size() > 3 ||
      !std::equal(elements.begin(), elements.end(), kElements.begin(),
                  [](const PlyElement& element, std::string_view name) {
                    return element.name == name && !element.has_lists();
                  }))
    throw broken(file, "its elements are not chunk, vertex and, optionally, sh, without lists");
  const PlyElement &chunk = elements[0], &vertex = elements[1];
  Layout layout;
  layout.splats = vertex.count;
  layout.chunks = chunk.count;
  const bool colours = offset_of(chunk, kRangeNames[kColourRanges], ScalarType::f32).has_value();
  for (std::size_t k = 0; k < (colours ? kRangeNames.size() : kColourRanges); ++k)
    layout.ranges.push_back(required_offset(file, chunk, kRangeNames[k], ScalarType::f32));
  for (const std::string_view name : kWordNames)
    layout.words.push_back(required_offset(file, vertex, name, ScalarType::u32));
  layout.chunk_bytes = chunk.least_row_bytes(header.encoding);
  layout.word_bytes = vertex.least_row_bytes(header.encoding);
  if (layout.chunks != layout.splats / kChunkSplats + (layout.splats % kChunkSplats != 0 ? 1 : 0))
    throw broken(file, fmt::format("{} splats do not lie in {} chunks of {}", layout.splats,
                                   layout.chunks, kChunkSplats));
  if (elements.size() == 3) take_harmonics(file, elements[2], layout);
  return layout;
}

/// Reads so many rows and hands each to take(row number, bytes).
template <class Take>
void read_rows(BufferedSource& source, std::uint64_t count, std::size_t bytes_each,
               const char* what, const Take& take) {
  std::vector<char> bytes(
      static_cast<std::size_t>(std::min<std::uint64_t>(kPackedRowsAtOnce, count)) * bytes_each);
  for (std::uint64_t done = 0; done < count;) {
    const auto rows =
        static_cast<std::size_t>(std::min<std::uint64_t>(kPackedRowsAtOnce, count - done));
    read_exactly(source, bytes.data(), rows * bytes_each, what);
    for (std::size_t row = 0; row < rows; ++row)
      take(static_cast<std::size_t>(done) + row, bytes.data() + row * bytes_each);
    done += rows;
  }
}

/// The ranges of a chunk as kRangeNames. Without those of colours, colours lie between 0 and 1.
using Ranges = std::array<float, 18>;

std::vector<Ranges> read_ranges(BufferedSource& source, const Layout& layout) {
  std::vector<Ranges> chunks;
  read_rows(source, layout.chunks, layout.chunk_bytes, "chunks",
            [&](std::size_t, const char* bytes) {
              Ranges ranges{};
              std::fill(ranges.begin() + kColourRanges + 3, ranges.end(), 1.0F);
              for (std::size_t k = 0; k < layout.ranges.size(); ++k)
                std::memcpy(&ranges[k], bytes + layout.ranges[k], sizeof(float));
              chunks.push_back(ranges);
            });
  return chunks;
}

/// Returns the number of this share of range `first` + axis.
double within(const Ranges& ranges, std::size_t first, std::size_t axis, double share) {
  return static_cast<double>(ranges[first + axis]) * (1 - share) +
         static_cast<double>(ranges[first + 3 + axis]) * share;
}

void append(const Ranges& ranges, const std::array<std::uint32_t, 4>& words, SplatCloud& splats) {
  const auto [place, rotation, scale, colour] = words;
  const std::array<double, 3> at = unpacked_shares(place, kThreeBits),
                              size = unpacked_shares(scale, kThreeBits);
  const std::array<double, 4> look = unpacked_shares(colour, kFourBits);
  for (std::size_t k = 0; k < 3; ++k) {
    splats.xyz.push_back(within(ranges, 0, k, at[k]));
    splats.log_scales.push_back(static_cast<float>(within(ranges, 6, k, size[k])));
    splats.colours.push_back(
        static_cast<float>((within(ranges, kColourRanges, k, look[k]) - 0.5) / kConstantHarmonic));
  }
  for (const double part : unpacked_rotation(rotation))
    splats.rotations.push_back(static_cast<float>(part));
  splats.opacities.push_back(opacity_of_byte(static_cast<std::uint8_t>(colour)));
}

}  // namespace

bool is_compressed_ply(std::string_view head) {
  return (head.starts_with("ply\n") || head.starts_with("ply\r")) &&
         head.find("\nelement chunk ") != head.npos;
}

SplatCloud read_compressed_ply(BufferedSource source, std::int64_t most_bytes) {
  const Layout layout = layout_of(source.name(), read_ply_header(source));
  require_splat_bytes(source, layout.splats, layout.word_bytes + layout.harmonic_bytes,
                      layout.bands, most_bytes);
  const std::vector<Ranges> chunks = read_ranges(source, layout);
  require_splat_bytes(source, layout.splats, layout.word_bytes + layout.harmonic_bytes,
                      layout.bands, most_bytes);
  SplatCloud splats;
  splats.bands = layout.bands;
  read_rows(source, layout.splats, layout.word_bytes, "splats",
            [&](std::size_t row, const char* bytes) {
              std::array<std::uint32_t, 4> words{};
              for (std::size_t k = 0; k < words.size(); ++k)
                std::memcpy(&words[k], bytes + layout.words[k], sizeof words[k]);
              append(chunks[row / kChunkSplats], words, splats);
            });
  if (layout.bands > 0)
    read_rows(
        source, layout.splats, layout.harmonic_bytes, "harmonics",
        [&](std::size_t, const char* bytes) {
          for (const std::size_t offset : layout.harmonics)
            splats.harmonics.push_back(harmonic_of_byte(static_cast<std::uint8_t>(bytes[offset])));
        });
  skip_rest(source);
  return splats;
}

}  // namespace skde::io

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numbers>
#include <optional>
#include <string_view>
#include <vector>

#include "core/report/error.hpp"
#include "io/bytes/output_file.hpp"
#include "io/points/readers/ply_header.hpp"
#include "io/points/splats/splat_cloud.hpp"
#include "io/points/splats/splat_format_files.hpp"

namespace skde::io {
namespace {

// How compressed PLY packs numbers into words of 32 bits, the first in the highest bits.

constexpr std::size_t kChunkSplats = 256;
constexpr std::array<int, 3> kThreeBits{11, 10, 11};
constexpr std::array<int, 4> kFourBits{8, 8, 8, 8};
constexpr std::array<int, 3> kPartBits{10, 10, 10};

/// Returns the nearest step of 2^bits - 1 steps from 0 to 1; 0 for NaN.
std::uint32_t step_of(double share, int bits) {
  const double top = (1 << bits) - 1;
  return share > 0 ? static_cast<std::uint32_t>(std::min(std::floor(share * top + 0.5), top)) : 0U;
}

/// Packs shares from 0 to 1.
template <std::size_t N>
std::uint32_t packed_shares(const std::array<double, N>& shares, const std::array<int, N>& bits,
                            std::uint32_t word = 0) {
  for (std::size_t k = 0; k < N; ++k) word = word << bits[k] | step_of(shares[k], bits[k]);
  return word;
}

/// The reverse of packed_shares().
template <std::size_t N>
std::array<double, N> unpacked_shares(std::uint32_t word, const std::array<int, N>& bits) {
  std::array<double, N> shares{};
  for (std::size_t k = N; k-- > 0; word >>= bits[k]) {
    const std::uint32_t top = (1U << bits[k]) - 1;
    shares[k] = static_cast<double>(word & top) / top;
  }
  return shares;
}

/// The index of the largest part of w, x, y and z, then the others in that order, which lie between
/// -1/sqrt(2) and 1/sqrt(2) once the largest is positive.
std::uint32_t packed_rotation(const std::array<double, 4>& wxyz) {
  const std::size_t largest = largest_part(wxyz);
  const double sign = wxyz[largest] < 0 ? -1 : 1;
  std::array<double, 3> shares{};
  for (std::size_t k = 0, to = 0; k < 4; ++k)
    if (k != largest) shares[to++] = sign * wxyz[k] / std::numbers::sqrt2 + 0.5;
  return packed_shares(shares, kPartBits, static_cast<std::uint32_t>(largest));
}

/// The reverse of packed_rotation(): w, x, y and z.
std::array<double, 4> unpacked_rotation(std::uint32_t word) {
  std::array<double, 3> parts = unpacked_shares(word, kPartBits);
  for (double& part : parts) part = (part - 0.5) * std::numbers::sqrt2;
  const std::size_t largest = word >> 30;
  std::array<double, 4> q{};
  for (std::size_t k = 0, from = 0; k < 4; ++k)
    q[k] = k == largest ? missing_part(parts[0], parts[1], parts[2]) : parts[from++];
  return unit_quaternion(q);
}

/// A harmonic as a byte; the outermost bytes stand for -4 and 4.
std::uint8_t harmonic_byte(float value) {
  const double shifted = (static_cast<double>(value) / 8 + 0.5) * 256;
  return shifted > 0 ? static_cast<std::uint8_t>(std::min(shifted, 255.0)) : std::uint8_t{0};
}
float harmonic_of_byte(std::uint8_t byte) {
  const double share = byte == 0 ? 0 : byte == 255 ? 1 : (byte + 0.5) / 256;
  return static_cast<float>((share - 0.5) * 8);
}

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

constexpr std::size_t kQuantities = 9;  // coordinates, logarithms of scales, and colours

/// The quantities of a splat of which chunks have ranges.
std::array<double, kQuantities> ranged(const SplatCloud& splats, std::size_t i) {
  std::array<double, kQuantities> all{};
  for (std::size_t k = 0; k < 3; ++k) {
    all[k] = splats.xyz[3 * i + k];
    all[3 + k] = static_cast<double>(splats.log_scales[3 * i + k]);
    all[6 + k] = static_cast<double>(splats.colours[3 * i + k]) * kConstantHarmonic + 0.5;
  }
  return all;
}

/// The least and the largest of each quantity in a chunk, rounded outwards to float.
struct Chunk {
  std::array<float, kQuantities> least, most;
};

float rounded_down(double value) {
  constexpr float kLowest = std::numeric_limits<float>::lowest();
  const auto near = static_cast<float>(value);
  return static_cast<double>(near) > value ? std::nextafter(near, kLowest) : near;
}
float rounded_up(double value) { return -rounded_down(-value); }

/// Of the chunk that begins with splat `first`.
Chunk chunk_of(const SplatCloud& splats, std::size_t first) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  std::array<double, kQuantities> least{}, most{};
  least.fill(kNone);
  most.fill(-kNone);
  for (std::size_t i = first; i < std::min(first + kChunkSplats, splats.size()); ++i) {
    const auto values = ranged(splats, i);
    for (std::size_t k = 0; k < kQuantities; ++k) {
      least[k] = std::min(least[k], values[k]);
      most[k] = std::max(most[k], values[k]);
    }
  }
  Chunk chunk{};
  for (std::size_t k = 0; k < kQuantities; ++k) {
    chunk.least[k] = rounded_down(least[k]);
    chunk.most[k] = rounded_up(most[k]);
  }
  return chunk;
}

/// The least and the largest of each quantity in the order of the file.
std::array<float, 2 * kQuantities> ranges_of(const Chunk& chunk) {
  std::array<float, 2 * kQuantities> ranges{};
  for (std::size_t k = 0; k < kQuantities; ++k) {
    const std::size_t to = k / 3 * 6 + k % 3;
    ranges[to] = chunk.least[k];
    ranges[to + 3] = chunk.most[k];
  }
  return ranges;
}

std::array<std::uint32_t, 4> words_of(const Chunk& chunk, const SplatCloud& splats, std::size_t i) {
  std::array<double, kQuantities> shares = ranged(splats, i);
  for (std::size_t k = 0; k < kQuantities; ++k) {
    const auto least = static_cast<double>(chunk.least[k]);
    const double range = static_cast<double>(chunk.most[k]) - least;
    shares[k] = range > 0 ? (shares[k] - least) / range : 0;
  }
  const auto three = [&](std::size_t first) {
    return packed_shares({shares[first], shares[first + 1], shares[first + 2]}, kThreeBits);
  };
  std::uint32_t colour = opacity_byte(splats.opacities[i]);
  for (std::size_t k = 0; k < 3; ++k) colour |= step_of(shares[6 + k], 8) << (24 - 8 * k);
  const float* const q = splats.rotations.data() + 4 * i;
  return {three(0), packed_rotation(unit_quaternion({q[0], q[1], q[2], q[3]})), three(3), colour};
}

void require_floats(const std::string& path, const SplatCloud& splats) {
  constexpr double kMost = std::numeric_limits<float>::max();
  for (std::size_t k = 0; k < splats.xyz.size(); ++k)
    if (!(std::abs(splats.xyz[k]) <= kMost))
      throw Error(ErrorKind::input,
                  fmt::format("{}: splat {}: {} is {}, beyond the range of float, as which "
                              "compressed PLY holds it",
                              path, k / 3 + 1, "xyz"[k % 3], splats.xyz[k]),
                  {"output", "use a larger unit of length"});
}

std::string header_of(const SplatCloud& splats, std::size_t chunks) {
  std::string text =
      fmt::format("ply\nformat binary_little_endian 1.0\nelement chunk {}\n", chunks);
  for (const char* const axes : {"xyz", "scale", "rgb"})
    for (const char* const end : {"min", "max"})
      for (int k = 0; k < 3; ++k)
        text += axes == std::string_view("scale")
                    ? fmt::format("property float {}_scale_{}\n", end, "xyz"[k])
                    : fmt::format("property float {}_{}\n", end, axes[k]);
  text += fmt::format("element vertex {}\n", splats.size());
  for (const char* const name : {"position", "rotation", "scale", "color"})
    text += fmt::format("property uint packed_{}\n", name);
  if (splats.bands > 0) text += fmt::format("element sh {}\n", splats.size());
  for (std::size_t k = 0; k < 3 * splats.harmonics_each(); ++k)
    text += fmt::format("property uchar f_rest_{}\n", k);
  return text + "end_header\n";
}

}  // namespace

void write_compressed_ply(const std::string& path, const SplatCloud& splats, Progress& progress) {
  require_floats(path, splats);
  const std::size_t count = splats.size();
  std::vector<Chunk> chunks;
  for (std::size_t first = 0; first < count; first += kChunkSplats)
    chunks.push_back(chunk_of(splats, first));
  OutputFile file(path);
  file.write(header_of(splats, chunks.size()));
  for (const Chunk& chunk : chunks) {
    const auto ranges = ranges_of(chunk);
    file.write(ranges.data(), sizeof ranges);
  }
  const std::size_t passes = splats.bands > 0 ? 2 : 1;
  const std::size_t harmonics = 3 * splats.harmonics_each();
  write_records(file, passes * count, "splats", progress, [&](std::string& to, std::size_t row) {
    if (row < count) return append_bytes(to, words_of(chunks[row / kChunkSplats], splats, row));
    for (std::size_t k = 0; k < harmonics; ++k)
      to += static_cast<char>(harmonic_byte(splats.harmonics[harmonics * (row - count) + k]));
  });
  file.commit();
}

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

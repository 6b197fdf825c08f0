#include "io/points/splats/splat_format_files.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "core/report/error.hpp"
#include "io/bytes/output_file.hpp"
#include "io/points/splats/compressed_ply_values.hpp"

namespace skde::io {
namespace {

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

}  // namespace skde::io

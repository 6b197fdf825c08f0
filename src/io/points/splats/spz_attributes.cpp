#include "io/points/splats/spz_attributes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numbers>
#include <utility>

#include "core/report/error.hpp"

namespace skde::io {
namespace {

// ----------------------------------------------------------------------------------- coordinates

void take_place(const SpzHeader& header, const std::uint8_t* bytes, SplatCloud& splats) {
  for (int axis = 0; axis < 3; ++axis, bytes += 3) {
    const std::int32_t low = bytes[0] | bytes[1] << 8 | bytes[2] << 16;
    const std::int32_t fixed = low >= 1 << 23 ? low - (1 << 24) : low;
    splats.xyz.push_back(std::ldexp(fixed, -header.fractional_bits));
  }
}

void give_place(const SpzHeader& header, const SplatCloud& splats, std::size_t i,
                std::uint8_t* bytes) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double scaled = std::ldexp(splats.xyz[3 * i + axis], header.fractional_bits);
    auto fixed = static_cast<std::uint32_t>(std::llround(scaled));
    for (int k = 0; k < 3; ++k, fixed >>= 8) *bytes++ = static_cast<std::uint8_t>(fixed);
  }
}

// --------------------------------------------------------------- opacities, colours and scales

void take_opacity(const SpzHeader&, const std::uint8_t* bytes, SplatCloud& splats) {
  splats.opacities.push_back(opacity_of_byte(*bytes));
}

void give_opacity(const SpzHeader&, const SplatCloud& splats, std::size_t i, std::uint8_t* bytes) {
  *bytes = opacity_byte(splats.opacities[i]);
}

constexpr double kColourScale = 0.15;  // of colours about one half

void take_colour(const SpzHeader&, const std::uint8_t* bytes, SplatCloud& splats) {
  for (int colour = 0; colour < 3; ++colour)
    splats.colours.push_back(static_cast<float>((bytes[colour] / 255.0 - 0.5) / kColourScale));
}

void give_colour(const SpzHeader&, const SplatCloud& splats, std::size_t i, std::uint8_t* bytes) {
  for (std::size_t colour = 0; colour < 3; ++colour)
    bytes[colour] = nearest_byte(
        (static_cast<double>(splats.colours[3 * i + colour]) * kColourScale + 0.5) * 255);
}

void take_scale(const SpzHeader&, const std::uint8_t* bytes, SplatCloud& splats) {
  for (int axis = 0; axis < 3; ++axis)
    splats.log_scales.push_back(static_cast<float>(bytes[axis]) / 16 - 10);
}

void give_scale(const SpzHeader&, const SplatCloud& splats, std::size_t i, std::uint8_t* bytes) {
  for (std::size_t axis = 0; axis < 3; ++axis)
    bytes[axis] = nearest_byte((static_cast<double>(splats.log_scales[3 * i + axis]) + 10) * 16);
}

// ------------------------------------------------------------------------------------- rotations

constexpr std::uint32_t kMostPart = (1U << 9) - 1;  // the magnitude of a part has nine bits

/// In the order x, y, z, w.
std::array<double, 4> parts_of(const SplatCloud& splats, std::size_t i) {
  const float* const q = splats.rotations.data() + 4 * i;
  const auto [w, x, y, z] = unit_quaternion({q[0], q[1], q[2], q[3]});
  return {x, y, z, w};
}

void append_rotation(const std::array<double, 4>& xyzw, SplatCloud& splats) {
  for (const std::size_t part : {3, 0, 1, 2})
    splats.rotations.push_back(static_cast<float>(xyzw[part]));
}

/// Version 2: x, y and z of the quaternion whose w is positive.
void take_first_three(const std::uint8_t* bytes, SplatCloud& splats) {
  std::array<double, 4> q{};
  for (std::size_t k = 0; k < 3; ++k) q[k] = bytes[k] / 127.5 - 1;
  q[3] = missing_part(q[0], q[1], q[2]);
  append_rotation(unit_quaternion(q), splats);
}

void give_first_three(const std::array<double, 4>& q, std::uint8_t* bytes) {
  const double sign = q[3] < 0 ? -1 : 1;
  for (std::size_t k = 0; k < 3; ++k) bytes[k] = nearest_byte((sign * q[k] + 1) * 127.5);
}

/// Later versions: the index of the largest part in the two highest bits, then a sign and nine bits
/// for each other part in the order x, y, z, w. The largest part is positive.
void take_smallest_three(const std::uint8_t* bytes, SplatCloud& splats) {
  std::uint32_t packed = bytes[0] | static_cast<std::uint32_t>(bytes[1]) << 8 |
                         static_cast<std::uint32_t>(bytes[2]) << 16 |
                         static_cast<std::uint32_t>(bytes[3]) << 24;
  const std::size_t largest = packed >> 30;
  std::array<double, 4> q{};
  for (std::size_t k = 4; k-- > 0;) {
    if (k == largest) continue;
    const double size = (packed & kMostPart) / (kMostPart * std::numbers::sqrt2);
    q[k] = (packed >> 9 & 1) != 0 ? -size : size;
    packed >>= 10;
  }
  q[largest] = missing_part(q[(largest + 1) % 4], q[(largest + 2) % 4], q[(largest + 3) % 4]);
  append_rotation(unit_quaternion(q), splats);
}

void give_smallest_three(const std::array<double, 4>& q, std::uint8_t* bytes) {
  const std::size_t largest = largest_part(q);
  auto packed = static_cast<std::uint32_t>(largest);
  for (std::size_t k = 0; k < 4; ++k) {
    if (k == largest) continue;
    const bool negative = (q[k] < 0) != (q[largest] < 0);
    const auto size = static_cast<std::uint32_t>(
        std::min<double>(kMostPart, std::abs(q[k]) * std::numbers::sqrt2 * kMostPart + 0.5));
    packed = packed << 10 | (negative ? 1U << 9 : 0U) | size;
  }
  for (int k = 0; k < 4; ++k, packed >>= 8) bytes[k] = static_cast<std::uint8_t>(packed);
}

void take_rotation(const SpzHeader& header, const std::uint8_t* bytes, SplatCloud& splats) {
  (header.version < 3 ? take_first_three : take_smallest_three)(bytes, splats);
}

void give_rotation(const SpzHeader& header, const SplatCloud& splats, std::size_t i,
                   std::uint8_t* bytes) {
  (header.version < 3 ? give_first_three : give_smallest_three)(parts_of(splats, i), bytes);
}

// ------------------------------------------------------------------------------------- harmonics

/// Harmonics of each colour.
std::size_t harmonics_of(const SpzHeader& header) {
  return static_cast<std::size_t>(header.bands * (header.bands + 2));
}

/// The three colours of a harmonic lie together.
void take_harmonics(const SpzHeader& header, const std::uint8_t* bytes, SplatCloud& splats) {
  for (std::size_t colour = 0; colour < 3; ++colour)
    for (std::size_t k = 0; k < harmonics_of(header); ++k)
      splats.harmonics.push_back((static_cast<float>(bytes[3 * k + colour]) - 128) / 128);
}

void give_harmonics(const SpzHeader& header, const SplatCloud& splats, std::size_t i,
                    std::uint8_t* bytes) {
  const std::size_t each = harmonics_of(header);
  for (std::size_t colour = 0; colour < 3; ++colour)
    for (std::size_t k = 0; k < each; ++k)
      bytes[3 * k + colour] = nearest_byte(
          static_cast<double>(splats.harmonics[(3 * i + colour) * each + k]) * 128 + 128);
}

template <std::size_t kBytes>
std::size_t always(const SpzHeader&) {
  return kBytes;
}
std::size_t rotation_bytes(const SpzHeader& header) { return header.version < 3 ? 3 : 4; }
std::size_t harmonic_bytes(const SpzHeader& header) { return 3 * harmonics_of(header); }

constexpr std::array<SpzAttribute, 6> kAttributes{{
    {"coordinates", always<9>, take_place, give_place},
    {"opacities", always<1>, take_opacity, give_opacity},
    {"colours", always<3>, take_colour, give_colour},
    {"scales", always<3>, take_scale, give_scale},
    {"rotations", rotation_bytes, take_rotation, give_rotation},
    {"harmonics", harmonic_bytes, take_harmonics, give_harmonics},
}};

// ------------------------------------------------------------------------------------- extensions

constexpr std::uint32_t kCameraExtension = 0xADBE0002, kAxesExtension = 0xADBE0003;

/// A quarter turn about x: y becomes what z was, and z what -y was.
void lay_down(SplatCloud& splats) {
  constexpr double kHalf = std::numbers::sqrt2 / 2;
  for (std::size_t i = 0; i < splats.size(); ++i) {
    double* const p = splats.xyz.data() + 3 * i;
    p[1] = std::exchange(p[2], -p[1]);
    float* const r = splats.rotations.data() + 4 * i;
    const std::array<double, 4> q{r[0], r[1], r[2], r[3]};
    const std::array<double, 4> turned{q[0] + q[1], q[1] - q[0], q[2] + q[3], q[3] - q[2]};
    std::ranges::transform(turned, r, [](double v) { return static_cast<float>(kHalf * v); });
  }
}

/// Multiplies coordinates by these signs. Harmonics of degree l and order m have a parity along
/// each axis; quaternions turn the other way about an axis between mirrored ones.
void mirror(SplatCloud& splats, const std::array<int, 3>& signs) {
  const auto& [x, y, z] = signs;
  for (std::size_t k = 0; k < splats.xyz.size(); ++k) splats.xyz[k] *= signs[k % 3];
  const std::array<int, 4> of_parts{1, y * z, x * z, x * y};
  for (std::size_t k = 0; k < splats.rotations.size(); ++k)
    splats.rotations[k] *= static_cast<float>(of_parts[k % 4]);
  std::vector<float> of_harmonics;
  for (int l = 1; l <= splats.bands; ++l)
    for (int m = -l; m <= l; ++m) {
      const bool odd_x = (m % 2 != 0) != (m < 0), odd_y = m < 0, odd_z = (l + m) % 2 != 0;
      of_harmonics.push_back(
          static_cast<float>((odd_x ? x : 1) * (odd_y ? y : 1) * (odd_z ? z : 1)));
    }
  for (std::size_t k = 0; k < splats.harmonics.size(); ++k)
    splats.harmonics[k] *= of_harmonics[k % of_harmonics.size()];
}

/// Axes 1 to 8 are left or right, down or up, back or front, by the bits of the number less 1;
/// 9 to 16 are left or right, front or back, down or up.
void turn_axes(const std::string& file, std::uint32_t axes, SplatCloud& splats) {
  constexpr std::uint32_t kMostAxes = 16, kUsual = 4;
  const std::uint32_t bits = axes - 1;
  const bool right = (bits & 1) != 0, high = (bits & 2) != 0, last = (bits & 4) != 0;
  const bool z_is_up = axes > kMostAxes / 2;
  if (axes > kMostAxes || (z_is_up && splats.bands > 0))
    throw Error(ErrorKind::input,
                fmt::format("{}: its axes are of kind {}, which skde reads {}", file, axes,
                            axes > kMostAxes ? "not" : "without harmonics alone"),
                {{}, "write it with the axes right, up, back"});
  if (axes == 0 || axes == kUsual) return;  // 0: not stated
  if (z_is_up) lay_down(splats);
  mirror(splats, {right ? 1 : -1, high ? 1 : -1, last ? -1 : 1});
  const char *const up = high ? "up" : "down", *const back = last == z_is_up ? "back" : "front";
  splats.note += fmt::format("{}axes {}, {}, {} are turned to right, up, back",
                             splats.note.empty() ? "" : "; ", right ? "right" : "left",
                             z_is_up ? back : up, z_is_up ? up : back);
}

}  // namespace

std::span<const SpzAttribute> spz_attributes() { return kAttributes; }

void apply_spz_extensions(const std::string& file, std::string_view records, SplatCloud& splats) {
  std::array<std::uint32_t, 3> record{};  // type, bytes, and the first value
  while (!records.empty()) {
    std::memcpy(record.data(), records.data(), std::min(sizeof record, records.size()));
    const auto& [type, bytes, value] = record;
    constexpr std::size_t kHead = 8;
    if (records.size() < kHead || bytes > records.size() - kHead ||
        (type == kAxesExtension && bytes != 4))
      throw Error(
          ErrorKind::input,
          fmt::format("{}: its extension {:#x} declares {} bytes, which it cannot have; the "
                      "file is broken",
                      file, type, bytes));
    if (type == kAxesExtension)
      turn_axes(file, value, splats);
    else if (type != kCameraExtension)
      splats.note.append(fmt::format("{}the unknown extension {:#x} is ignored",
                                     splats.note.empty() ? "" : "; ", type));
    records.remove_prefix(kHead + bytes);
  }
}

}  // namespace skde::io

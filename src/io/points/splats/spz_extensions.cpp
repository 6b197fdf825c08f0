#include "io/points/splats/spz_extensions.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <numbers>
#include <utility>

#include "core/report/error.hpp"

namespace skde::io {
namespace {

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

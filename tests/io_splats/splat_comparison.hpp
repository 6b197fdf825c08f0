#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/report/error.hpp"
#include "core/report/progress.hpp"
#include "io/bytes/byte_source.hpp"
#include "io/points/splats/splat_cloud.hpp"
#include "support/catch.hpp"
#include "support/pipe_source.hpp"

namespace skde::test {

using Catch::Matchers::ContainsSubstring;

inline NoProgress quiet;

using SplatReader = io::SplatCloud (*)(io::BufferedSource, std::int64_t most_bytes);

inline io::SplatCloud splats_of(SplatReader read, std::string_view bytes) {
  return read(io::BufferedSource(io::memory_source("a.file", bytes)), 0);
}

/// Returns the message of the Error(input) with which these bytes are refused, as a file and, with
/// an Error(input) too, as a pipe; empty if they are not.
inline std::string refusal(SplatReader read, std::string_view bytes) {
  std::string message;
  for (const bool piped : {true, false}) {
    message.clear();
    try {
      read(io::BufferedSource(piped ? std::make_unique<PipeSource>("a.file", bytes)
                                    : io::memory_source("a.file", bytes)),
           0);
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::input);
      message = error.what();
      CHECK(message.starts_with("a.file: "));
      CHECK(message.find('\n') == message.npos);
    }
  }
  return message;
}

/// Checks that no part of these bytes from the first on, but the whole, is read.
inline void check_truncated(SplatReader read, const std::string& bytes) {
  CHECK(refusal(read, bytes).empty());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    INFO(size << " of " << bytes.size() << " bytes");
    REQUIRE_FALSE(refusal(read, bytes.substr(0, size)).empty());
  }
}

/// The largest difference of two columns, the second as it is read again.
template <class T>
double largest_difference(const std::vector<T>& a, const std::vector<T>& b) {
  REQUIRE(a.size() == b.size());
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    largest = std::max(largest, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  return largest;
}

/// The same for opacities between 0 and 1, given their logits.
inline double largest_opacity_difference(const std::vector<float>& a, const std::vector<float>& b) {
  const auto opacities = [](const std::vector<float>& logits) {
    std::vector<double> shares;
    for (const float logit : logits) shares.push_back(1 / (1 + std::exp(-double{logit})));
    return shares;
  };
  return largest_difference(opacities(a), opacities(b));
}

/// The quaternion of a splat, with the sign that makes its largest part positive in `like`.
inline std::array<double, 4> rotation_of(const io::SplatCloud& splats, std::size_t i,
                                         const io::SplatCloud& like) {
  const auto largest =
      std::max_element(like.rotations.begin() + 4 * i, like.rotations.begin() + 4 * i + 4,
                       [](float a, float b) { return std::abs(a) < std::abs(b); }) -
      (like.rotations.begin() + 4 * i);
  std::array<double, 4> q{};
  for (std::size_t k = 0; k < 4; ++k) q[k] = double{splats.rotations[4 * i + k]};
  const double sign = q[static_cast<std::size_t>(largest)] < 0 ? -1 : 1;
  for (double& part : q) part *= sign;
  return q;
}

/// The largest difference of a part of a quaternion, whose sign has no meaning.
inline double largest_rotation_difference(const io::SplatCloud& a, const io::SplatCloud& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto p = rotation_of(a, i, a), q = rotation_of(b, i, a);
    for (std::size_t k = 0; k < 4; ++k) largest = std::max(largest, std::abs(p[k] - q[k]));
  }
  return largest;
}

/// The bound of a part of a unit quaternion whose smallest three are rounded by at most `e` each:
/// the largest is at least each of them, and so differs by at most 3 e and what is of second order.
inline double smallest_three_bound(double e) { return 3 * e + 6 * e * e; }

/// Replaces the rotations by ones near each axis and each pair of axes, with both signs.
inline void turn_to_axes(io::SplatCloud& splats) {
  constexpr float kSmall = 1e-3F;
  for (std::size_t i = 0; i < splats.size(); ++i) {
    std::array<float, 4> q{kSmall, -kSmall, kSmall, -kSmall};
    q[i % 4] = i / 4 % 2 == 0 ? 1.0F : -1.0F;
    if (i / 8 % 2 == 1) q[(i + 1) % 4] = 1;
    if (i / 16 % 2 == 1) q[(i + 2) % 4] = -1;
    const float norm = std::hypot(std::hypot(q[0], q[1]), std::hypot(q[2], q[3]));
    for (std::size_t k = 0; k < 4; ++k) splats.rotations[4 * i + k] = q[k] / norm;
  }
}

/// Values between the ends, for formats that keep no others.
inline std::vector<float> clamped(std::vector<float> values, float least, float most) {
  for (float& value : values) value = std::clamp(value, least, most);
  return values;
}

/// Appends a number as it lies in memory.
template <class T>
void append_number(std::string& bytes, T number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

/// Returns bytes with a number replaced.
template <class T>
std::string with_number(std::string bytes, std::size_t at, T number) {
  std::memcpy(&bytes.at(at), &number, sizeof number);
  return bytes;
}

}  // namespace skde::test

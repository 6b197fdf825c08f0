#include "order/curve_codes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/morton_code.hpp"
#include "core/report/error.hpp"

namespace skde {
namespace {

constexpr std::uint32_t kCells = std::uint32_t{1} << kCurveBits;

/// Points whose codes are computed side by side.
constexpr std::size_t kAtOnce = 512;
using Cells = std::array<std::array<std::uint32_t, kAtOnce>, 3>;

/// A step at one bit of one axis: where the bit is set, the lower bits of axis 0 are inverted;
/// where it is not, they are exchanged with those of this axis. Free of branches, as the bits are
/// random.
[[gnu::always_inline]] inline void turn(std::array<std::uint32_t, kAtOnce>& first,
                                        std::array<std::uint32_t, kAtOnce>& part, int bit) {
  const std::uint32_t below = (std::uint32_t{1} << bit) - 1;
#pragma omp simd
  for (std::size_t i = 0; i < kAtOnce; ++i) {
    const std::uint32_t set = 0 - (part[i] >> bit & 1);
    const std::uint32_t exchanged = (first[i] ^ part[i]) & below & ~set;
    part[i] ^= exchanged;
    first[i] ^= exchanged | (below & set);
  }
}

/// The same for axis 0 itself, which has nothing to be exchanged with.
[[gnu::always_inline]] inline void turn(std::array<std::uint32_t, kAtOnce>& first, int bit) {
  const std::uint32_t below = (std::uint32_t{1} << bit) - 1;
#pragma omp simd
  for (std::size_t i = 0; i < kAtOnce; ++i) first[i] ^= below & (0 - (first[i] >> bit & 1));
}

/// Turns cells into the numbers whose bits, interleaved, are their places along the Hilbert curve.
[[gnu::always_inline]] inline void transpose(Cells& cells) {
  std::array<std::uint32_t, kAtOnce>&x = cells[0], &y = cells[1], &z = cells[2];
  for (int bit = kCurveBits - 1; bit > 0; --bit) {
    turn(x, bit);
    turn(x, y, bit);
    turn(x, z, bit);
  }
#pragma omp simd
  for (std::size_t i = 0; i < kAtOnce; ++i) {
    y[i] ^= x[i];
    z[i] ^= y[i];
    // Each bit is flipped once for every higher bit of z that is set.
    std::uint32_t flips = z[i] >> 1;
    // A loop over the list {1, 2, 4, 8, 16} is vectorised wrongly by g++ 14.
    for (int step = 1; step <= 16; step *= 2) flips ^= flips >> step;
    x[i] ^= flips;
    y[i] ^= flips;
    z[i] ^= flips;
  }
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] void transpose_by_eights(Cells& cells) { transpose(cells); }

void transpose_hilbert(Cells& cells) {
  static const bool has_eights = __builtin_cpu_supports("avx2") != 0;
  if (has_eights)
    transpose_by_eights(cells);
  else
    transpose(cells);
}
#else
void transpose_hilbert(Cells& cells) { transpose(cells); }
#endif

}  // namespace

Box box_of(std::span<const double> xyz) {
  if (xyz.empty()) throw Error(ErrorKind::input, "there are no points to put in order");
  constexpr double kFar = std::numeric_limits<double>::infinity();
  Box box{{kFar, kFar, kFar}, {-kFar, -kFar, -kFar}};
  for (std::size_t i = 0; i < xyz.size(); ++i) {
    if (!std::isfinite(xyz[i]))
      throw Error(ErrorKind::input,
                  fmt::format("row {} (from 0) has a coordinate that is not finite", i / 3),
                  {"points", "remove this row, as it has no place in the order"});
    const int axis = static_cast<int>(i % 3);
    box.lower[axis] = std::min(box.lower[axis], xyz[i]);
    box.upper[axis] = std::max(box.upper[axis], xyz[i]);
  }
  return box;
}

void write_curve_codes(std::span<const double> xyz, const Box& box, Curve curve,
                       std::span<std::uint64_t> codes) {
  // A quotient is exact where a share of the box is, as in the middle; a product with 1 / extent is
  // not. A box wider than the largest double is halved.
  std::array<double, 3> unit{}, lower{}, extent{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double low = box.lower[static_cast<int>(axis)], high = box.upper[static_cast<int>(axis)];
    unit[axis] = std::isfinite(high - low) ? 1 : 0.5;
    lower[axis] = unit[axis] * low;
    extent[axis] = std::max(unit[axis] * high - lower[axis], std::numeric_limits<double>::min());
  }
  Cells cells{};
  for (std::size_t first = 0; first < codes.size(); first += kAtOnce) {
    const std::size_t count = std::min(kAtOnce, codes.size() - first);
    for (std::size_t axis = 0; axis < 3; ++axis)
      for (std::size_t i = 0; i < count; ++i) {
        const double along =
            (unit[axis] * xyz[3 * (first + i) + axis] - lower[axis]) / extent[axis] * kCells;
        cells[axis][i] = static_cast<std::uint32_t>(
            static_cast<std::int32_t>(std::clamp(along, 0.0, kCells - 1.0)));
      }
    if (curve == Curve::hilbert) transpose_hilbert(cells);
    // The first of the interleaved bits is that of x for Hilbert codes, and that of z for Morton's.
    const auto& [x, y, z] = cells;
    for (std::size_t i = 0; i < count; ++i)
      codes[first + i] =
          curve == Curve::hilbert ? morton_code(z[i], y[i], x[i]) : morton_code(x[i], y[i], z[i]);
  }
}

std::vector<std::uint64_t> curve_codes(std::span<const double> xyz, const Box& box, Curve curve) {
  constexpr std::size_t kPiece = std::size_t{1} << 14;
  std::vector<std::uint64_t> codes(xyz.size() / 3);
#pragma omp parallel for schedule(static)
  for (std::size_t first = 0; first < codes.size(); first += kPiece) {
    const std::size_t count = std::min(kPiece, codes.size() - first);
    write_curve_codes(xyz.subspan(3 * first, 3 * count), box, curve,
                      std::span(codes).subspan(first, count));
  }
  return codes;
}

}  // namespace skde

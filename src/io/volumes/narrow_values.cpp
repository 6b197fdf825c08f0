#include "io/volumes/narrow_values.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <variant>

#include "core/report/error.hpp"

namespace skde::io {
namespace {

/// The bits of the nearest half float; the size of `value` is at most 2^15.
std::uint16_t half_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits & 0x80000000U, size = bits ^ sign;
  // Beside 0.5 the last bit of a float is that of half floats below their normal range.
  const auto beside = std::bit_cast<std::uint32_t>(std::bit_cast<float>(size) + 0.5F);
  const std::uint32_t small = beside - 0x3f000000U;
  // To the nearest, halves to even, with the exponent of 8 bits turned into one of 5.
  const std::uint32_t large = (size + 0xc8000fffU + (size >> 13 & 1)) >> 13;
  return static_cast<std::uint16_t>((size < 0x38800000U ? small : large) | sign >> 16);
}

/// Stores values, each times `factor`.
template <class Real, class Factor>
void store(std::span<const Real> from, std::size_t bytes, bool is_signed, Factor factor, char* to) {
  if (bytes == 2) {
    auto* const halves = reinterpret_cast<std::uint16_t*>(to);
    for (std::size_t i = 0; i < from.size(); ++i)
      halves[i] = half_bits(static_cast<float>(static_cast<Factor>(from[i]) * factor));
    return;
  }
  const int zero = is_signed ? 128 : 0;
  const Factor half = static_cast<Factor>(zero) + Factor(0.5);
  for (std::size_t i = 0; i < from.size(); ++i)
    to[i] =
        static_cast<char>(static_cast<int>(static_cast<Factor>(from[i]) * factor + half) - zero);
}

/// Returns the least and the greatest value, and 0; the greatest is infinite if a value is not
/// finite.
template <class Real>
std::pair<double, double> extremes_of(std::span<const Real> values) {
  Real least = 0, most = 0, spoilt = 0;
#pragma omp parallel for simd reduction(min : least) reduction(max : most) reduction(+ : spoilt)
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Real value = values[i];
    least = value < least ? value : least;
    most = value > most ? value : most;
    spoilt += value - value;  // not a number if the value is not finite
  }
  return {least, spoilt == 0 ? most : std::numeric_limits<Real>::infinity()};
}

}  // namespace

Narrowing narrowing_for(ValueSpan values, ArrayValues stored) {
  const auto [least, most] = std::visit([](const auto& span) { return extremes_of(span); }, values);
  const double peak = std::max(most, -least);
  if (!std::isfinite(peak) || (peak > 0 && peak < 1e-300))
    throw Error(ErrorKind::unsupported,
                "values that are not finite, or below 1e-300, cannot be stored in fewer bits",
                {"stored_as", "leave out `stored_as`"});
  int exponent = 0;
  std::frexp(peak, &exponent);
  // The scales leave no value above the range, and numbers of doubles are rounded twice.
  constexpr int kHalfExponent = 15;
  constexpr double kHalfError = 8 * (1 + 0x1p-11), kByteError = 0.5 + 0x1p-13;
  const bool is_signed = least < 0;
  const double scale = peak == 0                     ? 1
                       : stored == ArrayValues::half ? std::ldexp(1, exponent - kHalfExponent)
                                                     : peak / (is_signed ? 127 : 255);
  if (stored == ArrayValues::half) return {"f16", "'<f2'", 2, scale, kHalfError * scale};
  if (is_signed) return {"i8", "'|i1'", 1, scale, kByteError * scale};
  return {"u8", "'|u1'", 1, scale, kByteError * scale};
}

std::string narrowed(ValueSpan values, const Narrowing& narrowing) {
  constexpr std::size_t kBlock = 1 << 16;
  // Floats are precise enough, unless the factor is beyond their range.
  const bool extreme = !(narrowing.scale > 1e-30 && narrowing.scale < 1e30);
  const bool is_signed = narrowing.word == "i8";
  const double factor = 1 / narrowing.scale;
  std::string bytes;
  std::visit(
      [&](const auto& span) {
        bytes.resize(span.size() * narrowing.bytes);
#pragma omp parallel for schedule(static)
        for (std::size_t first = 0; first < span.size(); first += kBlock) {
          const auto part = span.subspan(first, std::min(kBlock, span.size() - first));
          char* const to = bytes.data() + first * narrowing.bytes;
          if (extreme)
            store(part, narrowing.bytes, is_signed, factor, to);
          else
            store(part, narrowing.bytes, is_signed, static_cast<float>(factor), to);
        }
      },
      values);
  return bytes;
}

}  // namespace skde::io

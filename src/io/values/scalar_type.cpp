#include "io/values/scalar_type.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

namespace skde::io {
namespace {

template <std::size_t Size>
struct UnsignedOf;
template <>
struct UnsignedOf<1> {
  using type = std::uint8_t;
};
template <>
struct UnsignedOf<2> {
  using type = std::uint16_t;
};
template <>
struct UnsignedOf<4> {
  using type = std::uint32_t;
};
template <>
struct UnsignedOf<8> {
  using type = std::uint64_t;
};

std::uint16_t byte_swapped(std::uint16_t bits) { return __builtin_bswap16(bits); }
std::uint32_t byte_swapped(std::uint32_t bits) { return __builtin_bswap32(bits); }
std::uint64_t byte_swapped(std::uint64_t bits) { return __builtin_bswap64(bits); }

/// The bits of a half-precision float, IEEE 754 binary16, for which C++20 has no type.
struct Half {
  std::uint16_t bits;

  explicit operator double() const {
    constexpr int kFractionBits = 10, kBias = 15, kLargest = 31;
    const int exponent = bits >> kFractionBits & kLargest;
    const double fraction = bits & ((1 << kFractionBits) - 1);
    double value = 0;
    if (exponent == kLargest)
      value = fraction == 0 ? std::numeric_limits<double>::infinity()
                            : std::numeric_limits<double>::quiet_NaN();
    else if (exponent == 0)
      value = std::ldexp(fraction, 1 - kBias - kFractionBits);
    else
      value = std::ldexp(fraction + (1 << kFractionBits), exponent - kBias - kFractionBits);
    return bits >> 15 != 0 ? -value : value;
  }
};

template <class T, bool Swap>
void convert_column(const char* from, std::size_t stride, std::size_t count, double* to,
                    std::size_t to_step) {
  using Bits = typename UnsignedOf<sizeof(T)>::type;
  for (std::size_t i = 0; i < count; ++i) {
    Bits bits;
    std::memcpy(&bits, from + i * stride, sizeof(bits));
    if constexpr (Swap) bits = byte_swapped(bits);
    to[i * to_step] = static_cast<double>(std::bit_cast<T>(bits));
  }
}

template <bool Swap>
ColumnConverter converter_of(ScalarType type) {
  switch (type) {
    case ScalarType::i8:
      return convert_column<std::int8_t, false>;
    case ScalarType::u8:
      return convert_column<std::uint8_t, false>;
    case ScalarType::i16:
      return convert_column<std::int16_t, Swap>;
    case ScalarType::u16:
      return convert_column<std::uint16_t, Swap>;
    case ScalarType::i32:
      return convert_column<std::int32_t, Swap>;
    case ScalarType::u32:
      return convert_column<std::uint32_t, Swap>;
    case ScalarType::i64:
      return convert_column<std::int64_t, Swap>;
    case ScalarType::u64:
      return convert_column<std::uint64_t, Swap>;
    case ScalarType::f16:
      return convert_column<Half, Swap>;
    case ScalarType::f32:
      return convert_column<float, Swap>;
    case ScalarType::f64:
      break;
  }
  return convert_column<double, Swap>;
}

}  // namespace

std::size_t size_of(ScalarType type) {
  switch (type) {
    case ScalarType::i8:
    case ScalarType::u8:
      return 1;
    case ScalarType::i16:
    case ScalarType::u16:
    case ScalarType::f16:
      return 2;
    case ScalarType::i32:
    case ScalarType::u32:
    case ScalarType::f32:
      return 4;
    default:
      return 8;
  }
}

ColumnConverter column_converter(ScalarType type, bool big_endian) {
  const bool swap = big_endian != (std::endian::native == std::endian::big);
  return swap ? converter_of<true>(type) : converter_of<false>(type);
}

std::optional<ScalarType> vtk_type(std::string_view name) {
  using Row = std::pair<std::string_view, ScalarType>;
  static constexpr std::array<Row, 10> kTypes{{{"Float32", ScalarType::f32},
                                               {"Float64", ScalarType::f64},
                                               {"Int8", ScalarType::i8},
                                               {"UInt8", ScalarType::u8},
                                               {"Int16", ScalarType::i16},
                                               {"UInt16", ScalarType::u16},
                                               {"Int32", ScalarType::i32},
                                               {"UInt32", ScalarType::u32},
                                               {"Int64", ScalarType::i64},
                                               {"UInt64", ScalarType::u64}}};
  const auto* const row = std::ranges::find(kTypes, name, &Row::first);
  return row == kTypes.end() ? std::nullopt : std::optional(row->second);
}

double ValuePacking::value(double stored) const {
  const double number = stored < 0 ? stored + wrap : stored;
  if (number < least || number > most || std::ranges::find(missing, number) != missing.end())
    return std::numeric_limits<double>::quiet_NaN();
  return number * factor + offset;
}

bool ValuePacking::is_plain() const {
  return wrap == 0 && missing.empty() && std::isinf(least) && std::isinf(most) && factor == 1 &&
         offset == 0;
}

std::optional<double> netcdf_fill(bool whole, bool is_signed, std::size_t bytes) {
  if (!whole) return bytes >= 4 ? std::optional(0x1.ep+122) : std::nullopt;
  if (bytes == 2) return is_signed ? -32767.0 : 65535.0;
  if (bytes == 4) return is_signed ? -2147483647.0 : 4294967295.0;
  if (bytes == 8) return is_signed ? -9223372036854775806.0 : 18446744073709551614.0;
  return std::nullopt;
}

}  // namespace skde::io

#include "order/row_keys.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "core/report/error.hpp"
#include "order/curve_codes.hpp"

namespace skde {
namespace {

/// Rows whose coordinates are converted at a time: few enough for a core's cache.
constexpr std::size_t kBlock = 1024;
constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
constexpr double kFar = std::numeric_limits<double>::infinity();

template <class Take>
void for_positions(const io::RecordLayout& layout, const char* bytes, std::size_t count,
                   const Take& take) {
  std::array<double, 3 * kBlock> xyz;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  for (std::size_t first = 0; first < count; first += kBlock) {
    const std::size_t some = std::min(kBlock, count - first);
    for (std::size_t axis = 0; axis < 3; ++axis)
      io::convert_field(layout, layout.xyz[axis], bytes + first * layout.stride, some,
                        xyz.data() + axis, 3);
    take(first, std::span<const double>(xyz).first(3 * some));
  }
}

/// Numbers as unsigned integers in the same order; the two zeros are equal.
std::uint64_t ordered_bits(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);
  return bits >> 63 != 0 ? ~bits : bits | kSign;
}

template <class Integer>
void write_integers(const io::RecordLayout& layout, const io::RecordField& field, const char* bytes,
                    std::uint64_t inverted, std::span<std::uint64_t> keys) {
  const char* from = bytes + field.offset;
  for (std::uint64_t& key : keys) {
    Integer value;
    std::memcpy(&value, from, sizeof(value));
    if (layout.big_endian) {
      auto swapped = std::bit_cast<std::array<char, sizeof(value)>>(value);
      std::ranges::reverse(swapped);
      value = std::bit_cast<Integer>(swapped);
    }
    key = static_cast<std::uint64_t>(value) ^ (std::is_signed_v<Integer> ? kSign : 0) ^ inverted;
    from += layout.stride;
  }
}

using IntegerWriter = void (*)(const io::RecordLayout&, const io::RecordField&, const char*,
                               std::uint64_t, std::span<std::uint64_t>);

/// Returns null for fields that are not integers as they are.
IntegerWriter integer_writer(const io::RecordField& field) {
  using io::ScalarType;
  // Scales can be negative, so scaled fields are converted.
  if (!field.is_plain()) return nullptr;
  switch (field.type) {
    case ScalarType::i8:
      return write_integers<std::int8_t>;
    case ScalarType::u8:
      return write_integers<std::uint8_t>;
    case ScalarType::i16:
      return write_integers<std::int16_t>;
    case ScalarType::u16:
      return write_integers<std::uint16_t>;
    case ScalarType::i32:
      return write_integers<std::int32_t>;
    case ScalarType::u32:
      return write_integers<std::uint32_t>;
    case ScalarType::i64:
      return write_integers<std::int64_t>;
    case ScalarType::u64:
      return write_integers<std::uint64_t>;
    default:
      return nullptr;
  }
}

}  // namespace

RowKeys::RowKeys(const io::RowSource& rows, const io::RecordLayout& layout, OrderBy by,
                 bool reverse)
    : rows_(rows),
      layout_(layout),
      by_(by),
      inverted_(reverse ? ~std::uint64_t{0} : 0),
      box_{{kFar, kFar, kFar}, {-kFar, -kFar, -kFar}},
      bad_row_(kNone) {}

void RowKeys::note_bad(std::uint64_t row) {
  std::uint64_t known = bad_row_;
  while (row < known && !bad_row_.compare_exchange_weak(known, row)) {
  }
}

void RowKeys::look(std::uint64_t first, std::size_t count, const char* bytes) {
  std::array<double, 3> lower{kFar, kFar, kFar}, upper{-kFar, -kFar, -kFar};
  for_positions(layout_, bytes, count, [&](std::size_t begin, std::span<const double> xyz) {
    bool finite = true;
    for (std::size_t i = 0; i < xyz.size(); i += 3)
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const double value = xyz[i + axis];
        finite &= std::abs(value) < kFar;  // false for NaN, too
        lower[axis] = std::min(lower[axis], value);
        upper[axis] = std::max(upper[axis], value);
      }
    if (finite) return;
    const auto bad =
        std::ranges::find_if_not(xyz, [](double value) { return std::isfinite(value); });
    note_bad(first + begin + static_cast<std::size_t>(bad - xyz.begin()) / 3);
  });
  const std::lock_guard lock(mutex_);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    double &low = box_.lower[static_cast<int>(axis)], &high = box_.upper[static_cast<int>(axis)];
    low = std::min(low, lower[axis]);
    high = std::max(high, upper[axis]);
  }
}

void RowKeys::write(std::uint64_t first, const char* bytes, std::span<std::uint64_t> keys) {
  if (by_ == OrderBy::column)
    write_values(first, bytes, keys);
  else
    write_codes(bytes, keys);
}

void RowKeys::write_codes(const char* bytes, std::span<std::uint64_t> keys) const {
  const Curve curve = by_ == OrderBy::morton ? Curve::morton : Curve::hilbert;
  for_positions(layout_, bytes, keys.size(), [&](std::size_t begin, std::span<const double> xyz) {
    const std::span<std::uint64_t> codes = keys.subspan(begin, xyz.size() / 3);
    write_curve_codes(xyz, box_, curve, codes);
    for (std::uint64_t& code : codes) code ^= inverted_;
  });
}

void RowKeys::write_values(std::uint64_t first, const char* bytes, std::span<std::uint64_t> keys) {
  const io::RecordField& field = layout_.widths.back();
  if (const IntegerWriter integers = integer_writer(field))
    return integers(layout_, field, bytes, inverted_, keys);
  std::array<double, kBlock> values;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  for (std::size_t begin = 0; begin < keys.size(); begin += kBlock) {
    const std::size_t some = std::min(kBlock, keys.size() - begin);
    io::convert_field(layout_, field, bytes + begin * layout_.stride, some, values.data(), 1);
    for (std::size_t i = 0; i < some; ++i) {
      if (std::isnan(values[i])) note_bad(first + begin + i);
      keys[begin + i] = ordered_bits(values[i]) ^ inverted_;
    }
  }
}

void RowKeys::require_places() const {
  if (bad_row_ == kNone) return;
  throw Error(ErrorKind::input,
              fmt::format("{}: {}", rows_.place_of(bad_row_),
                          by_ == OrderBy::column ? "the value to sort by is not a number"
                                                 : "a coordinate is not finite"),
              {{}, "remove this row, as it has no place in the order"});
}

}  // namespace skde

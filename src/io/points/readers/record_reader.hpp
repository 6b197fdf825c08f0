#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "io/bytes/byte_source.hpp"
#include "io/points/columns/column_selection.hpp"
#include "io/points/columns/point_reader.hpp"
#include "io/values/scalar_type.hpp"

namespace skde::io {

/// How bytes after the promised rows are treated: ignored, an error from one row on, or always an
/// error.
enum class Surplus { ignore, less_than_a_row, error };

/// One column inside a record.
struct RecordField {
  std::size_t offset = 0;
  ScalarType type = ScalarType::f64;
  double scale = 1, shift = 0;  ///< the value read is scale * value + shift
  /// For a positive integer: the value is its `bits` bits from bit `first_bit` on; 0 means all.
  unsigned first_bit = 0, bits = 0;
  std::optional<double> none{};  ///< the stored number that stands for no value

  bool is_scaled() const { return scale != 1 || shift != 0; }
  /// Returns whether values are read as they are stored.
  bool is_plain() const { return !is_scaled() && bits == 0 && !none; }
};

/// Consecutive rows of the same size in bytes.
struct RecordLayout {
  std::size_t stride = 0;
  bool big_endian = false;
  std::array<RecordField, 3> xyz;
  std::optional<RecordField> weight;
  std::vector<RecordField> widths;
};

/// Sets the fields of the selected columns of records; field_at() is that of a column.
template <class FieldAt>
void set_fields(const SelectedColumns& selected, const FieldAt& field_at, RecordLayout& layout) {
  for (std::size_t axis = 0; axis < 3; ++axis) layout.xyz[axis] = field_at(selected.xyz[axis]);
  if (selected.weight) layout.weight = field_at(*selected.weight);
  for (const std::size_t column : selected.widths) layout.widths.push_back(field_at(column));
}
/// The same for numbers of one type, one after another.
inline void set_fields(const SelectedColumns& selected, ScalarType type, RecordLayout& layout) {
  const std::size_t bytes = size_of(type);
  set_fields(
      selected,
      [&](std::size_t i) {
        return RecordField{i * bytes, type};
      },
      layout);
}

/// The records of a file.
struct RecordRows {
  RecordLayout layout;
  std::uint64_t rows = 0;
  std::uint64_t first_byte = 0;  ///< position of the first record
};

/// Converts a field of `count` records, one after another from `records` on, to to[0], to[to_step]
/// and so on.
void convert_field(const RecordLayout& layout, const RecordField& field, const char* records,
                   std::size_t count, double* to, std::size_t to_step);

/// Reads `rows` records from the source's position on. Throws Error(input) at once if the promise
/// cannot be kept (see check_promise) or a record is larger than 1 MiB.
std::unique_ptr<PointReader> read_records(BufferedSource source, const RecordLayout& layout,
                                          std::uint64_t rows, Surplus surplus);

/// The first of `count` rows or bytes that is in part `part` of `parts` (from 0).
inline std::uint64_t first_of_part(std::uint64_t count, std::uint64_t part, std::uint64_t parts) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>(Wide{count} * part / parts);
}

/// Throws Error(input) if at least `bytes` more bytes follow the `rows` rows, at the source's
/// position.
void refuse_surplus(BufferedSource& source, std::uint64_t rows, std::size_t bytes = 1);

}  // namespace skde::io

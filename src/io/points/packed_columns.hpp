#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "io/byte_source.hpp"
#include "io/points/point_reader.hpp"
#include "io/scalar_type.hpp"

namespace skde::io {

/// Values of a column that stand together, among the bytes that a packed piece holds.
struct PackedColumn {
  std::uint64_t offset = 0;
  ScalarType type = ScalarType::f32;
};

struct PackedColumns {
  std::array<PackedColumn, 3> xyz;
  std::optional<PackedColumn> weight;
};

/// Reads columns of `rows` values from one piece packed by LZF, as PCD has it: its packed and its
/// whole size, 32 bits each, then the bytes. All of it is unpacked at once. Error(input) where the
/// sizes are not those of rows of `row_bytes`, or the piece is broken or cut short.
std::unique_ptr<PointReader> read_packed_columns(BufferedSource source, std::uint64_t rows,
                                                 std::size_t row_bytes,
                                                 const PackedColumns& columns);

}  // namespace skde::io

#pragma once

#include <cstdint>
#include <memory>

#include "io/bytes/byte_source.hpp"
#include "io/points/point_reader.hpp"
#include "io/points/record_reader.hpp"

namespace skde::io {

/// Reads `rows` records of which each field's values stand together, in the order of the fields and
/// in one piece packed by LZF, as PCD has it: its packed and its whole size, 32 bits each, then the
/// bytes. All of it is unpacked at once. Error(input) where the sizes are not those of the records,
/// or the piece is broken or cut short.
std::unique_ptr<PointReader> read_packed_columns(BufferedSource source, RecordLayout layout,
                                                 std::uint64_t rows);

}  // namespace skde::io

#pragma once

#include <cstdint>
#include <memory>

#include "io/bytes/byte_source.hpp"
#include "io/points/point_reader.hpp"
#include "io/points/record_reader.hpp"

namespace skde::io {

/// Reads `rows` records that are stored field by field and packed by LZF in one piece, as in PCD:
/// its packed and its unpacked size, 32 bits each, then the bytes. Unpacks all of it at once.
/// Throws Error(input) if the sizes do not fit the records, or the piece is broken or cut short.
std::unique_ptr<PointReader> read_packed_columns(BufferedSource source, RecordLayout layout,
                                                 std::uint64_t rows);

}  // namespace skde::io

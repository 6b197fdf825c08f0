#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/cloud/partial_sums.hpp"
#include "io/bytes/byte_source.hpp"

namespace skde::io {

// Partial sums as a file: a line that names the format, the length of the head (64 bits), the head
// as JSON, and the sums, x fastest, 64 bits each; all numbers little-endian.

inline constexpr std::string_view kPartialSumsExtension = ".skp";

/// Writes a file whole or not at all. Error(output) where that fails.
void write_partial_sums(const std::string& path, const PartialSums& partial);

/// Reads what a file says of its sums and adds these to `sums`, which are as many, or none yet.
/// Error(input) where the file is none of partial sums, cut short, longer than it says, or its sums
/// are not those that were written.
PartialHead add_partial_sums(std::unique_ptr<ByteSource> bytes, std::vector<std::int64_t>& sums);
/// The same without the sums, whose number is checked.
PartialHead read_partial_head(std::unique_ptr<ByteSource> bytes);

}  // namespace skde::io

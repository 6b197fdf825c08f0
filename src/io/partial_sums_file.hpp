#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/partial_sums.hpp"
#include "io/bytes/byte_source.hpp"

namespace skde::io {

// Partial sums as a file: a line that names the format, the length of the head (64 bits), the head
// as JSON, and the sums, x fastest, 64 bits each; all numbers are little-endian.

inline constexpr std::string_view kPartialSumsExtension = ".skp";

/// Writes the whole file or nothing. Throws Error(output) if that fails.
void write_partial_sums(const std::string& path, const PartialSums& partial);

/// Reads the head of a file and adds its sums to `sums`, which must be as many, or empty. Throws
/// Error(input) if the file does not hold partial sums, is cut short, is longer than its head says,
/// or its sums are not those that were written.
PartialHead add_partial_sums(std::unique_ptr<ByteSource> bytes, std::vector<std::int64_t>& sums);
/// Reads the head alone; the number of sums is checked.
PartialHead read_partial_head(std::unique_ptr<ByteSource> bytes);

}  // namespace skde::io

#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/partial_sums.hpp"
#include "io/bytes/byte_source.hpp"
#include "io/text/json_object.hpp"

namespace skde::io {

class OpenFiles;

// What is known of the samples of a part, as keys of a JSON object. Exact sums are stored as the
// doubles that they consist of, so that they are read back to the last bit.

void put(nlohmann::ordered_json& json, const PartialCloud& cloud);
/// Reads the terms of an exact sum. Throws Error(input) if there are none, or they are not a sum.
void read_sum(JsonObject& object, const std::string& key, ExactSum& sum);

/// Throws Error(input) that names the object's file and the key if something is missing or makes no
/// sense.
void read(JsonObject& object, PartialCloud& cloud);

/// Returns the description of a part's samples as a JSON document of "kind" "cloud_moments". It
/// also holds the results that follow from the sums, such as the mean and the covariance.
nlohmann::ordered_json moments_document(const PartialCloud& cloud);
/// Reads the file of such a document. Throws Error(input) if it is not one.
PartialCloud read_moments_file(const std::string& path, const OpenFiles& files);

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

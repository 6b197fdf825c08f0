#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/partial_sums.hpp"
#include "io/json_object.hpp"

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

}  // namespace skde::io

#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/cloud/partial_sums.hpp"
#include "io/json_object.hpp"

namespace skde::io {

class OpenFiles;

// What is known of the samples of a part, as keys of a JSON object. Sums stand there as the doubles
// that they are made of, so that what is read is what was written, to the last bit.

void put(nlohmann::ordered_json& json, const PartialCloud& cloud);
/// The parts of an exact sum. Error(input) where there are none, or they are no sum.
void read_sum(JsonObject& object, const std::string& key, ExactSum& sum);

/// Error(input) that names the object's file and the key where something is missing or makes no
/// sense.
void read(JsonObject& object, PartialCloud& cloud);

/// Writes the samples of a part as a JSON file, or prints them: "kind" is "cloud_moments". Besides,
/// it tells what the sums come to.
nlohmann::ordered_json moments_document(const PartialCloud& cloud);
/// The file of such a document. Error(input) where it is none.
PartialCloud read_moments_file(const std::string& path, const OpenFiles& files);

}  // namespace skde::io

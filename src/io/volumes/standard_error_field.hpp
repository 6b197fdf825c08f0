#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/volumes/volume_writer.hpp"

namespace skde::io {

// A file may hold the standard errors of its densities beside them. They do not count where a
// command takes the only, the first or each of several volumes.

/// The name of the volume of standard errors beside a density.
inline constexpr std::string_view kStandardError = "standard_error";

/// Returns the name of the standard errors of a volume in a file with several.
inline std::string standard_error_of(const std::string& field) {
  const std::string name(kStandardError);
  return field.empty() || field == "density" ? name : field + "_" + name;
}

/// Returns the names with those of standard errors, each after that of its volume.
inline std::vector<std::string> with_standard_errors(const std::vector<std::string>& fields) {
  std::vector<std::string> all;
  for (const std::string& field : fields) all.insert(all.end(), {field, standard_error_of(field)});
  return all;
}

/// Returns the names of the volumes that are not the standard errors of another.
inline std::vector<std::string> without_standard_errors(std::vector<std::string> fields) {
  const std::vector<std::string> all = fields;
  std::erase_if(fields, [&](const std::string& field) {
    return std::ranges::any_of(
        all, [&](const std::string& other) { return standard_error_of(other) == field; });
  });
  return fields;
}

/// Sets the metadata of a density and of its standard errors, which follow it.
inline void describe_with_errors(FieldsWriter& writer, std::size_t field,
                                 DensityMetadata metadata) {
  writer.describe(field, metadata);
  metadata.values = kStandardError;
  writer.describe(field + 1, std::move(metadata));
}

/// Names the values of one of several volumes in a file after their array if they are no density.
/// Not all formats keep texts for each volume.
inline void name_values(DensityMetadata& metadata, const std::string& array) {
  if (!metadata.values.empty() || array.ends_with(kStandardError)) metadata.values = array;
}

}  // namespace skde::io

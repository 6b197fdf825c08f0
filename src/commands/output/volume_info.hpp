#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/results/json_type.hpp"
#include "io/volumes/volume_formats.hpp"

namespace skde::cli {

/// Smallest and largest value, and the numbers of zeros and nans.
struct ValueRange {
  double least = 0, most = 0;
  std::int64_t zeros = 0, nans = 0;
};

/// A volume whose grid, values and metadata are reported.
struct VolumeShown {
  VolumeShown(std::string called, const io::VolumeFile& held);

  std::string path;
  const io::VolumeFile* file;
  ValueRange range;
};
void add_fields(Fields<VolumeShown>& fields);

/// The document of a volume whose values are no longer in memory.
struct VolumeDocument {
  nlohmann::ordered_json json;
};
template <>
struct JsonType<VolumeDocument> {
  static nlohmann::ordered_json value(const VolumeDocument& volume) { return volume.json; }
  static nlohmann::ordered_json schema(nlohmann::ordered_json& types);
};

/// The documents of several volumes.
struct VolumeList {
  std::vector<VolumeDocument> volumes;
};
void add_fields(Fields<VolumeList>& fields);

}  // namespace skde::cli

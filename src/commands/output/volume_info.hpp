#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "io/volumes/volume_formats.hpp"

namespace skde::cli {

/// Grid, values and metadata of a volume, for people.
std::string volume_text(const io::VolumeFile& file);
nlohmann::ordered_json volume_json(const std::string& path, const io::VolumeFile& file);

}  // namespace skde::cli

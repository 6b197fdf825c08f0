#pragma once

#include <memory>
#include <string>

#include "io/points/point_reader.hpp"

namespace skde::io {

/// Returns a reader that converts a reader's rows to the frame of `wanted`. Throws what
/// GeographicPlaces throws; `file` is the name for messages.
std::unique_ptr<PointReader> geographic_reader(std::unique_ptr<PointReader> reader,
                                               const Geographic& wanted, const std::string& file);

}  // namespace skde::io

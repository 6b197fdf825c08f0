#pragma once

#include <memory>
#include <string>

#include "io/points/point_reader.hpp"

namespace skde::io {

/// Gives a reader's rows with their places in the frame of `wanted`. Throws what GeographicPlaces
/// throws; `file` names it.
std::unique_ptr<PointReader> geographic_reader(std::unique_ptr<PointReader> reader,
                                               const Geographic& wanted, const std::string& file);

}  // namespace skde::io

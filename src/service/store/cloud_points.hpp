#pragma once

#include <string>
#include <vector>

#include "core/report/progress.hpp"

namespace skde::service {

/// Some samples of a cloud, evenly among all, as an array of x, y, z and weight: {cloud, file.npy,
/// how many, flags of columns...}. Throws what reading throws.
void write_points(const std::vector<std::string>& arguments, Progress& progress);

}  // namespace skde::service

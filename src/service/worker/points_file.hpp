#pragma once

#include <string>
#include <vector>

#include "core/report/progress.hpp"

namespace skde::service {

/// Writes some samples of a cloud, evenly chosen, as an array of x, y, z and weight. Arguments:
/// {cloud, file.npy, count, flags of columns...}.
void write_points(const std::vector<std::string>& arguments, Progress& progress);

}  // namespace skde::service

#pragma once

#include <string_view>
#include <vector>

#include "core/warning.hpp"
#include "estimate/cross_validation.hpp"

namespace skde {

/// Where a bandwidth by evidence is so far below Silverman's that it is that of single samples, or
/// of coordinates that were rounded or repeated: it says so, what they share, and what mends it.
std::vector<Warning> narrow_bandwidth_warnings(const EvidenceCloud& cloud, double h,
                                               std::string_view rule);

}  // namespace skde

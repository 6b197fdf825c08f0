#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/space/space.hpp"

namespace skde::test {

/// The places of points along a curve through 2^21 cells a side of the box, one bit of each axis
/// after the other. Written from the definitions alone, for comparison with src/order.
std::vector<std::uint64_t> reference_codes(std::span<const double> xyz, const Box& box,
                                           bool hilbert);

}  // namespace skde::test

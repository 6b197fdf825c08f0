#pragma once

#include <string>
#include <vector>

#include "bench/report/chart_layout.hpp"

namespace skde::bench {

/// The text, cut with an ellipsis where it is longer than `room` pixels.
std::string shortened(std::string text, double room, const TextStyle& style,
                      const TextMeasure& measure);

/// The words of the text on lines of at most `room` pixels; at most `most` lines, the last one cut
/// with an ellipsis where there is more.
std::vector<std::string> wrapped(const std::string& text, double room, const TextStyle& style,
                                 std::size_t most, const TextMeasure& measure);

}  // namespace skde::bench

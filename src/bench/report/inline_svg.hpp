#pragma once

#include <string>
#include <string_view>

#include "bench/report/chart.hpp"
#include "bench/report/chart_layout.hpp"

namespace skde::bench {

/// The chart as an <svg> element of an HTML page, in light and in dark colours: groups of the
/// classes "light" and "dark", of which the page's style shows one. Its ids begin with `prefix`, so
/// that several charts fit on a page; `description` is read out where it cannot be seen.
std::string inline_svg(const Chart& chart, ChartSize size, std::string_view prefix,
                       std::string_view description);

}  // namespace skde::bench

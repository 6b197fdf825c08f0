#pragma once

#include <string>

#include "bench/report/chart.hpp"
#include "bench/report/chart_canvas.hpp"
#include "bench/report/chart_layout.hpp"
#include "bench/report/chart_style.hpp"

namespace skde::bench {

/// False where skde was built without pictures; drawing throws Error(usage) then.
bool can_draw_charts();

/// The bytes of the chart's SVG or PNG file: the same drawing in both. Throws Error(resources)
/// where there is no memory for it.
std::string draw_chart(const Chart& chart, ChartFormat format, ChartSize size,
                       const ChartTheme& theme);

/// Writes the chart in the format of the file's extension, .svg or .png, whole or not at all.
/// Throws Error(usage) for another extension, Error(output) where it cannot be written.
void write_chart(const Chart& chart, const std::string& path, ChartSize size = {},
                 const ChartTheme& theme = kLightTheme);

}  // namespace skde::bench

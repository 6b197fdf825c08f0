// Takes the place of chart_canvas.cpp and chart_drawing.cpp in builds without pictures.
#include "bench/report/chart_drawing.hpp"
#include "core/error.hpp"

namespace skde::bench {
namespace {

Error no_charts() {
  return {ErrorKind::usage,
          "this skde-bench draws no charts: build it with -DSKDE_WITH_PICTURES=ON"};
}

}  // namespace

bool can_draw_charts() { return false; }

std::string draw_chart(const Chart&, ChartFormat, ChartSize, const ChartTheme&) {
  throw no_charts();
}

void write_chart(const Chart&, const std::string&, ChartSize, const ChartTheme&) {
  throw no_charts();
}

}  // namespace skde::bench

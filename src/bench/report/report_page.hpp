#pragma once

#include <string>
#include <vector>

#include "bench/report/result_plots.hpp"
#include "bench/results/results.hpp"

namespace skde::bench {

/// The results as one HTML page that needs nothing besides itself: the machine, the plots in light
/// and dark, and the tables. `plots` is empty where skde was built without pictures.
std::string report_page(const RunRecord& run, const std::string& baseline,
                        const std::vector<Plot>& plots);

}  // namespace skde::bench

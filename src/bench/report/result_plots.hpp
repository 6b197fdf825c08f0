#pragma once

#include <string>
#include <vector>

#include "bench/report/chart.hpp"
#include "bench/results/results.hpp"

namespace skde::bench {

/// A chart of results.
struct Plot {
  std::string section;  ///< what it shows: "Time against N"; charts of a section stand together
  std::string name;     ///< of its files, without the extension; one name occurs once
  Chart chart;
};

/// All plots that the results have values for: time, updates/s, samples/s and speed-up over
/// `baseline` (a method) against N, M and h, where at least two of them were measured; the roofline
/// of the stages; error against time. Results without times are on no line; the notes list them.
std::vector<Plot> plots_of(const RunRecord& run, const std::string& baseline);

/// Charts whose x is N, M or h, one for each set of cases that differ in nothing else.
std::vector<Plot> sweep_plots(const RunRecord& run, const std::string& baseline);
/// Rooflines of the stages, one for each device: of every case of the experiment stages, and of the
/// largest of others.
std::vector<Plot> roofline_plots(const RunRecord& run);
/// A point a method: of every case of the experiment accuracy, and of the largest of others.
std::vector<Plot> error_plots(const RunRecord& run);

}  // namespace skde::bench

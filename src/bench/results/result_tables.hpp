#pragma once

#include <string>

#include "bench/results/results.hpp"

namespace skde::bench {

/// The machine as an HTML list of terms, with the command line and the date.
std::string machine_html(const RunRecord& run);
/// What the machine can do at most, and the times of runs without work; empty where neither was
/// measured.
std::string limits_html(const RunRecord& run);
/// An HTML table an experiment: a row for every result, by case, with its fastest and median
/// time, the quartiles, updates/s, the ratio to the baseline's time, its error, or its reason.
std::string results_html(const RunRecord& run, const std::string& baseline);
/// The stages of every result that has them, with their shares of the ceilings; empty where no
/// result has any.
std::string stages_html(const RunRecord& run);

}  // namespace skde::bench

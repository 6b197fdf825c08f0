#pragma once

#include <string>
#include <vector>

#include "bench/results/results.hpp"

namespace skde::bench {

/// Returns the results of `skde-bench fit` as Markdown: for each density a table of relative L2
/// errors with a row for each number of members, and the reasons of what is missing; then the times
/// of steps and their stages.
std::string fit_tables(const std::vector<Result>& results);

}  // namespace skde::bench

#pragma once

#include <string>
#include <vector>

#include "bench/results/results.hpp"

namespace skde::bench {

/// Returns the results of `sort` as Markdown: a table for each kind of keys with the medians of
/// each sorter, and the speed of our bitonic sort as a share of CUB's radix sort. Reasons of
/// sorters that were not run stand below.
std::string sort_tables(const std::vector<Result>& results);

}  // namespace skde::bench

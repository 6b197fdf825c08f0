#pragma once

#include <string>
#include <vector>

#include "bench/results/results.hpp"

namespace skde::bench {

/// "N = 100,000, M = 100, h = 1, five-gaussians, weighted".
std::string case_text(const Result& result);
/// "span", "span f64", "scipy (gaussian)".
std::string method_text(const Result& result);
/// With three digits and the unit that fits: "64.2 us".
std::string short_seconds(double seconds);

/// A result as a row of the table; and the row above it.
std::string result_row(const Result& result);
std::string result_header();
/// The stages of a result with rates and shares of the ceilings, a line each.
std::string stage_rows(const Result& result, const std::vector<Ceiling>& ceilings);

}  // namespace skde::bench

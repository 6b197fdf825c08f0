#pragma once

#include <string>
#include <vector>

#include "bench/results/results.hpp"

namespace skde::bench {

/// "span", "span f64"; files are not told apart by precision.
std::string method_text(const Result& result);
/// A result as a row of the table; and the row above it.
std::string result_row(const Result& result);
std::string result_header();
/// The stages of a result with rates and shares of the ceilings, a line each.
std::string stage_rows(const Result& result, const std::vector<Ceiling>& ceilings);

}  // namespace skde::bench

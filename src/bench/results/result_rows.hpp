#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/results/results.hpp"

namespace skde::bench {

/// Returns "0.31 us", "12.3 us", "1.23 ms": short times with three digits.
std::string duration_text(double seconds);
/// Returns "1e+06", or "2^20" for a power of two from 32 on.
std::string number_of_items(std::uint64_t count);
/// Returns "span" or "span f64"; for files the precision is left out.
std::string method_text(const Result& result);
/// Return a result as a row of the table, and the header row.
std::string result_row(const Result& result);
std::string result_header();
/// Returns the stages of a result, one per line, with rates and shares of the ceilings.
std::string stage_rows(const Result& result, const std::vector<Ceiling>& ceilings);

}  // namespace skde::bench

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
/// The largest share of a device's ceiling that a stage reaches, by bytes or operations, and the
/// name of that ceiling: {"copy", 0.4}. The share is 0 if no ceiling is known.
struct CeilingShare {
  std::string_view ceiling;
  double share = 0;
};
CeilingShare ceiling_share(const StageRecord& stage, std::string_view device,
                           const std::vector<Ceiling>& ceilings);
/// Returns the stages of a result, one per line, with rates and shares of the ceilings.
std::string stage_rows(const Result& result, const std::vector<Ceiling>& ceilings);

}  // namespace skde::bench

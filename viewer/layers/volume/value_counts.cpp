#include "viewer/layers/volume/value_counts.hpp"

#include <fmt/core.h>

#include <cmath>

#include "cli/text/number_format.hpp"

namespace skde::view {
namespace {

template <class Real>
ValueCounts count(const Volume& volume) {
  ValueCounts counts;
  for (const Real value : volume.values<Real>()) {
    counts.nan += std::isnan(value) ? 1 : 0;
    counts.infinite += std::isinf(value) ? 1 : 0;
    counts.negative += value < 0 && !std::isinf(value) ? 1 : 0;
  }
  return counts;
}

}  // namespace

ValueCounts count_values(const Volume& volume) {
  return volume.precision() == Precision::f32 ? count<float>(volume) : count<double>(volume);
}

std::string ValueCounts::describe() const {
  std::string text;
  const auto add = [&text](std::uint64_t count, const char* what) {
    if (count == 0) return;
    text += fmt::format("{}{} {} {}", text.empty() ? "" : ", ", cli::format_count(count),
                        count == 1 ? "value is" : "values are", what);
  };
  add(nan, "NaN");
  add(infinite, "infinite");
  add(negative, "negative");
  return text;
}

}  // namespace skde::view

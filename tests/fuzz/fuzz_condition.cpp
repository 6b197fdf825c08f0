#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "core/report/error.hpp"
#include "io/points/columns/row_condition.hpp"

/// Aborts if a condition keeps different rows one by one than all together, or if it neither keeps
/// nor drops a row whose values are all missing. An Error(usage) of one line is fine.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  constexpr std::array<double, 5> kValues{NAN, -1, 0, 2, 0x1p53};
  constexpr std::size_t kRows = 1100;
  try {
    const skde::io::RowCondition condition(
        std::string_view(reinterpret_cast<const char*>(bytes), count));
    const std::size_t columns = condition.columns().size();
    std::vector<double> values(kRows * columns);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = kValues[i / 7 % kValues.size()];
    std::vector<std::uint8_t> together(kRows, 7), apart(kRows, 7);
    condition.evaluate(values.data(), columns, together);
    for (std::size_t row = 0; row < kRows; ++row)
      condition.evaluate(&values[row * columns], columns, {&apart[row], 1});
    if (together != apart) std::abort();
    for (const std::uint8_t holds : together)
      if (holds > 1) std::abort();
    for (const auto& column : condition.columns())
      for (const std::string& text : column.texts)
        if (std::fmod(skde::io::place_among(column.texts, text), 2) != 1) std::abort();
  } catch (const skde::Error& error) {
    if (error.kind() != skde::ErrorKind::usage) std::abort();
    if (std::strchr(error.what(), '\n') != nullptr) std::abort();
  }
  return 0;
}

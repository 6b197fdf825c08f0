#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "commands/output/volume_output.hpp"
#include "core/report/warning.hpp"

namespace skde::cli {

/// Splats that were written in another format.
struct SplatConversion {
  std::uint64_t splats = 0;
  int bands = 0;      ///< of harmonics, as written
  std::string order;  ///< a word of kSplatOrders
  std::string kept;   ///< how values are rounded; empty: not at all
  std::vector<Warning> warnings;
};

/// Returns true if a file of this name is written as splats.
bool writes_splats(const std::string& output);
/// Reads splats and writes them in the format of the output's extension. `order` is a word of
/// kSplatOrders, or empty for the usual order of the format. Throws what reading, ordering and
/// writing throw; Error(output) if the output is the input or cannot be written.
SplatConversion convert_splats(const std::string& input, const std::string& output,
                               const std::string& order, Progress& progress);

}  // namespace skde::cli

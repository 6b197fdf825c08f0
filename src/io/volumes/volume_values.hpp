#pragma once

#include <fmt/core.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/report/error.hpp"
#include "core/report/words.hpp"
#include "core/space/volume.hpp"
#include "io/bytes/byte_source.hpp"
#include "io/text/text_fields.hpp"
#include "io/values/scalar_type.hpp"

namespace skde::io {

/// Returns the grid that a volume file describes. Throws Error(input) if a number is not finite, a
/// cell has no size, or a side has no cells or more than 2^31 - 1.
Grid grid_of_file(const std::string& name, Vec3 first_centre, Vec3 spacing,
                  const std::array<std::int64_t, 3>& dims);

/// Throws Error(resources) if a volume of this grid is larger than the available memory (see
/// available_memory()), so that a small broken or compressed file cannot ask for all of it.
void require_volume_fits(const std::string& name, const Grid& grid, Precision precision);

/// Returns the type in memory for values of `type` in a file: double if float would lose digits.
Precision precision_for(ScalarType type);

/// Returns the bytes of values as they are in memory.
std::string_view bytes_of(ValueSpan values);

/// Reads grid.cells() values from the source's position on. Throws Error(input), before anything is
/// allocated, if the source knows its size and is too short; otherwise memory grows with what is
/// read. Throws Error(resources) as above.
Volume read_values(BufferedSource& source, const Grid& grid, ScalarType type, bool big_endian);

/// Throws Error(input) if bytes follow the values in the source: its header must be wrong.
void require_end(BufferedSource& source);

/// Reads grid.cells() numbers of text, separated by blanks or commas, up to the end of the source
/// or to a '<'. Memory grows with what is read. Throws Error(input) if there are fewer or more
/// numbers, or something is not a number.
Volume read_text_values(BufferedSource& source, const Grid& grid, ScalarType type);

/// Advice if a cloud is given where a volume is needed.
inline constexpr std::string_view kGiveDensity =
    "estimate its density, for example with 'skde density IN -o density.vti', and use that volume";

/// Throws Error(input) "FILE: WHAT", with a suggestion.
[[noreturn]] inline void refuse_volume(const std::string& name, std::string_view what,
                                       std::string suggestion = {}) {
  throw Error(ErrorKind::input, fmt::format("{}: {}", name, what), {{}, std::move(suggestion)});
}

/// Throws Error(input): the file has no volume of this name, but these.
[[noreturn]] inline void refuse_field(const std::string& name, const std::string& wanted,
                                      const std::vector<std::string>& there) {
  const std::vector<std::string_view> names(there.begin(), there.end());
  throw Error(ErrorKind::input, fmt::format("{}: has no field {}", name, excerpt(wanted)),
              {"field", did_you_mean(wanted, names)});
}

}  // namespace skde::io

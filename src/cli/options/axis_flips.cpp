#include "cli/options/axis_flips.hpp"

#include <fmt/core.h>

#include <string_view>

#include "core/report/error.hpp"
#include "core/space/space.hpp"
#include "estimate/fields/density_fields.hpp"

namespace skde::cli {

FieldText flip_text() {
  return {.name = "flip",
          .value = "none|x|y|z[,...]",
          .help = "axes that pictures draw in the opposite direction",
          .by_default = "z if it is named a depth",
          .runs = run_kind::kWhole | run_kind::kCategories};
}

void add_flip_flag(OptionTable& table, std::optional<std::array<bool, 3>>& flipped) {
  table.value(flip_text(), flipped, parse_flips);
}

std::array<bool, 3> parse_flips(const std::string& given) {
  constexpr std::string_view kNames(kAxisNames.data(), kAxisNames.size());
  std::array<bool, 3> flipped{};
  if (given == "none") return flipped;
  std::string_view rest = given;
  while (true) {
    const std::size_t axis = rest.empty() ? kNames.npos : kNames.find(rest[0]);
    const bool last = rest.size() == 1;
    if (axis == kNames.npos || flipped[axis] || (!last && rest[1] != ','))
      throw Error(ErrorKind::usage,
                  fmt::format("must name axes, such as 'z' or 'x,z', or be none; got '{}'", given));
    flipped[axis] = true;
    if (last) return flipped;
    rest.remove_prefix(2);
  }
}

}  // namespace skde::cli

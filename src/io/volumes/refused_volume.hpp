#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/report/error.hpp"
#include "core/report/nearest_name.hpp"
#include "io/text/text_fields.hpp"

namespace skde::io {

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

#pragma once

#include <string>

#include "core/report/error.hpp"

namespace skde {

/// What was computed as asked and may still mislead. Its texts are single lines, as those of
/// errors.
struct Warning {
  std::string kind;  ///< in snake_case, for programs: "mass_in_box"
  std::string problem;
  ErrorAdvice advice{};
};

}  // namespace skde

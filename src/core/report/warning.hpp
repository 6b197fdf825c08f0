#pragma once

#include <string>

#include "core/report/error.hpp"

namespace skde {

/// A result that was computed as asked and may still mislead. Its texts are single lines, as in
/// Error.
struct Warning {
  std::string kind;  ///< in snake_case, for programs: "mass_in_box"
  std::string problem;
  ErrorAdvice advice{};
};

}  // namespace skde

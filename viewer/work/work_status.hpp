#pragma once

#include <optional>
#include <string>

namespace skde::view {

/// What a background worker is doing.
struct WorkStatus {
  bool busy = false;
  std::string stage;            ///< empty while idle
  std::optional<double> share;  ///< of the stage that is done; none if unknown
};

}  // namespace skde::view

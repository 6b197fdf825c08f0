#pragma once

#include <string>

namespace skde::view {

/// A line of what is told of a thing, such as a sample or a place.
struct ReadoutLine {
  std::string label, value;
};

}  // namespace skde::view

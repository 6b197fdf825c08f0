#pragma once

#include <iostream>
#include <string_view>

namespace skde::test {

/// Returns true if there is a reason why a test cannot run here. Prints the reason, and CTest shows
/// the test as skipped; the test then returns.
inline bool skipped(std::string_view reason) {
  if (!reason.empty()) std::cout << "SKIPPED: " << reason << std::endl;
  return !reason.empty();
}

}  // namespace skde::test

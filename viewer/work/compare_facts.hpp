#pragma once

#include <string>
#include <vector>

#include "viewer/layers/method/method_readout.hpp"
#include "viewer/work/work_status.hpp"

namespace skde::view {

/// What the panel shows of a comparison.
struct CompareFacts {
  std::string a{}, b{};              ///< what the densities are
  std::vector<ReadoutLine> lines{};  ///< its figures
  std::vector<std::string> notes{};  ///< of the comparison
  WorkStatus status{};
  std::string problem{};  ///< why there is no comparison; empty if there is no problem
};

}  // namespace skde::view

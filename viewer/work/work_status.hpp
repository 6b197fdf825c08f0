#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "viewer/layers/space/readout_line.hpp"

namespace skde::view {

/// What a background worker is doing.
struct WorkStatus {
  bool busy = false;
  std::string stage;            ///< empty while idle
  std::optional<double> share;  ///< of the stage that is done; none if unknown
};

/// What a fit has reached. Between fits, that of the last one.
struct FitStatus {
  bool busy = false;
  std::string stage{};  ///< for example "start"
  std::int64_t step = 0, steps = 0;
  std::vector<float> errors{};  ///< relative errors, in the order of the steps
};

/// What the panel shows of a comparison.
struct CompareFacts {
  std::string a{}, b{};              ///< what the densities are
  std::vector<ReadoutLine> lines{};  ///< its figures
  std::vector<std::string> notes{};  ///< of the comparison
  WorkStatus status{};
  std::string problem{};  ///< why there is no comparison; empty if there is no problem
};

}  // namespace skde::view

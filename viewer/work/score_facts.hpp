#pragma once

#include <optional>

#include "core/report/error.hpp"
#include "viewer/work/score_curve.hpp"
#include "viewer/work/work_status.hpp"

namespace skde::view {

/// The curve of scores that is shown, or why there is none.
struct ScoreFacts {
  std::optional<ScoreCurve> curve{};
  WorkStatus status{};
  std::optional<Error> problem{};
};

}  // namespace skde::view
